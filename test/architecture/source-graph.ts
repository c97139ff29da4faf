import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

export interface ImportEdge {
  /** Path below `src`, such as `hub/api.ts`. */
  readonly from: string
  /** Path below `src`, or the name of a package. */
  readonly to: string
  readonly kind: 'value' | 'type' | 'dynamic'
}

export interface SourceGraph {
  readonly files: readonly string[]
  /** Between our own files. */
  readonly edges: readonly ImportEdge[]
  /** To packages and Node's own modules. */
  readonly packages: readonly ImportEdge[]
}

/** Every import in a source folder. */
export function readSourceGraph(folder: string): SourceGraph {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const all = files.flatMap((file) => importsOf(file, readFileSync(join(folder, file), 'utf8')))
  const known = new Set(files)
  return {
    files: files.sort(),
    edges: all.filter((edge) => known.has(edge.to)),
    packages: all.filter((edge) => !known.has(edge.to)),
  }
}

/** The imports in the text of one file, formatted as oxfmt does it: statements at the start of a line, single quotes. */
export function importsOf(file: string, text: string): readonly ImportEdge[] {
  const code = text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '')
  const statements = [...code.matchAll(/^(?:import|export) (type )?(?:[^'`=;()]*? from )?'([^']+)'/gm)]
  const calls = [...code.matchAll(/(\btypeof )?\bimport\(\s*'([^']+)'\s*\)(\.\w)?/g)]
  const target = (specifier = ''): string =>
    specifier.startsWith('.') ? normalize(join(dirname(file), specifier)) : specifier
  return [
    ...statements.map(
      (match) => ({ from: file, to: target(match[2]), kind: match[1] === undefined ? 'value' : 'type' }) as const,
    ),
    ...calls.map(
      (match) =>
        ({
          from: file,
          to: target(match[2]),
          kind: match[1] === undefined && match[3] === undefined ? 'dynamic' : 'type',
        }) as const,
    ),
  ]
}

/** Everything that is loaded when `start` is: the files that it reaches by value imports, itself included. */
export function loadedBy(graph: SourceGraph, start: string): readonly string[] {
  const seen = new Set([start])
  for (const file of seen) {
    for (const edge of graph.edges) if (edge.from === file && edge.kind === 'value') seen.add(edge.to)
  }
  return [...seen]
}

/** One cycle as a list of files, first and last the same; undefined when there is none. */
export function findCycle(graph: SourceGraph): readonly string[] | undefined {
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return undefined
    for (const edge of graph.edges.filter((edge) => edge.from === file)) {
      const cycle = visit(edge.to, [...path, file])
      if (cycle !== undefined) return cycle
    }
    done.add(file)
    return undefined
  }
  return graph.files.map((file) => visit(file, [])).find((cycle) => cycle !== undefined)
}
