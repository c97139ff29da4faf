import type { Catalogue } from '../hub/api.ts'

/** What a person reads for the name by which a model called a tool: `server.tool`, as long as the tool is there. */
export function toolLabel({ tools }: Pick<Catalogue, 'tools'>, modelName: string): string {
  return tools.find((tool) => tool.modelName === modelName)?.id ?? modelName
}
