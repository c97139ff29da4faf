import type { Config, ConfiguredServer, Origin, OwnTool, Standing } from '../config/types.ts'
import { unreachable } from '../errors.ts'
import { maskEntry } from '../policy/secrets.ts'
import { addExample } from './choose-servers.ts'
import { describeEntry, describeFurtherFields } from './describe-entry.ts'
import { plainLine, revealedText } from '../policy/plain-text.ts'
import type { Style } from './render/style.ts'

/** The config in force, for people. Secrets are masked. */
export function renderConfig(config: Config, style: Style): string {
  const servers = config.servers.map((server) => renderServer(server, style))
  const files = config.files.map(({ path, layer }) => `  ${layer.padEnd(8)} ${path}\n`)
  const warnings = config.warnings.map((warning) => `  ${plainLine(warning)}\n`)
  return [
    servers.length === 0 ? `No servers are configured. Add one: ${addExample}\n` : servers.join('\n'),
    section(style.heading('Files read; where two have the same name, the later one counts'), files),
    section(style.warning('Warnings'), warnings),
  ].join('')
}

/** The same for programs. */
export function configToJson({ servers, settings, files, warnings }: Config): string {
  return `${JSON.stringify({ servers: servers.map(serverToJson), settings, files, warnings })}\n`
}

function renderServer({ name, entry, origin, standing, shadows = [] }: ConfiguredServer, style: Style): string {
  const { text, paint } = describeStanding(standing, style)
  const lines = [
    ...(standing.kind === 'own'
      ? standing.tools.map(describeOwnTool)
      : [describeEntry(entry), ...describeFurtherFields(entry), `from ${describeOrigin(origin)}`]),
    ...shadows.map((shadow) => `replaces ${describeEntry(shadow.entry)} from ${describeOrigin(shadow.origin)}`),
  ]
  const body = lines.map((line) => `  ${line}\n`).join('')
  return `${style.name(revealedText(name))}  ${paint(text)}\n${body}`
}

function describeOwnTool({ name, file, standing }: OwnTool): string {
  const remark = standing.kind === 'untrusted' ? `, ${untrustedText[standing.change]}` : ''
  return revealedText(`${name} from ${file}${standing.kind === 'invalid' ? ', which cannot be used' : remark}`)
}

function describeStanding(standing: Standing, style: Style): { text: string; paint: (text: string) => string } {
  switch (standing.kind) {
    case 'usable':
    case 'own':
      return { text: 'in use', paint: style.good }
    case 'disabled':
      return { text: 'disabled', paint: style.faint }
    case 'invalid': {
      const { message, next } = standing.error
      return { text: plainLine(`cannot be used: ${message}${next === undefined ? '' : ` ${next}`}`), paint: style.bad }
    }
    case 'untrusted':
      return { text: untrustedText[standing.change], paint: style.warning }
    default:
      return unreachable(standing)
  }
}

const untrustedText = {
  new: 'waits for your approval: capstan review',
  changed: 'has changed and waits for your approval: capstan review',
  refused: 'refused by you; to approve it: capstan review NAME',
} as const

function describeOrigin({ layer, file }: Origin): string {
  return file === undefined ? 'the command line' : `${file} (${layer})`
}

function serverToJson({ name, entry, origin, standing, shadows = [] }: ConfiguredServer): unknown {
  return {
    name,
    ...origin,
    standing: standing.kind,
    ...(standing.kind === 'untrusted' ? { change: standing.change } : {}),
    ...(standing.kind === 'invalid' ? { error: standing.error } : {}),
    entry: maskEntry(entry),
    replaces: shadows.map((shadow) => ({
      layer: shadow.origin.layer,
      file: shadow.origin.file,
      entry: maskEntry(shadow.entry),
    })),
  }
}

function section(heading: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `\n${heading}\n${lines.join('')}`
}
