import type { InputDeclaration } from './types.ts'
import { isObject } from '../json.ts'

/** Reads VS Code's `inputs` list. What does not fit is left out: the question can then still be asked by its id. */
export function declaredInputs(list: unknown, file: string): readonly InputDeclaration[] {
  return Array.isArray(list) ? list.flatMap((item) => declaredInput(item, file)) : []
}

function declaredInput(item: unknown, file: string): readonly InputDeclaration[] {
  if (!isObject(item) || typeof item['id'] !== 'string') return []
  const { id, description, password, default: preset } = item
  const options = choices(item['options'])
  return [
    {
      id,
      file,
      isSecret: password === true,
      ...(typeof description === 'string' ? { description } : {}),
      ...(typeof preset === 'string' ? { default: preset } : {}),
      ...(options.length === 0 ? {} : { options }),
    },
  ]
}

/** Either plain texts or `{label, value}`. */
function choices(options: unknown): readonly string[] {
  if (!Array.isArray(options)) return []
  return options.flatMap((option) => {
    const value: unknown = isObject(option) ? option['value'] : option
    return typeof value === 'string' ? [value] : []
  })
}
