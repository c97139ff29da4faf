import { plainLine } from '../../policy/plain-text.ts'
import type { Look } from '../render/inspection.ts'
import { count } from '../render/numbers.ts'
import { paragraph, renderTable } from '../render/table.ts'
import type { Finding, Report, ServerReport } from './report.ts'

/** What `doctor` prints. */
export function renderReports(ground: Report, servers: readonly ServerReport[], look: Look): string {
  return [
    section('This machine', ground, look),
    ...servers.map((server) => section(server.name, server, look) + tail(server, look)),
    paragraph(verdict(ground, servers), look),
  ].join('\n')
}

export function isProblem(finding: Finding): boolean {
  return finding.level === 'problem'
}

function section(name: string, report: Report, look: Look): string {
  const { style } = look
  const mark = report.findings.some(isProblem) ? style.bad('✗') : style.good('✓')
  const facts = report.facts.map(({ label, value }) => [{ text: label, paint: style.faint }, plainLine(value)])
  return [
    `${mark} ${style.heading(plainLine(name))}\n`,
    renderTable(facts, { ...look, indent: 2 }),
    ...report.findings.map((finding) => findingLines(finding, look)),
  ].join('')
}

function findingLines(finding: Finding, look: Look): string {
  const paint = isProblem(finding) ? look.style.bad : look.style.warning
  const what = paragraph(`${isProblem(finding) ? '✗' : '!'} ${plainLine(finding.what)}`, { ...look, indent: 2 })
  return paint(what.trimEnd()) + '\n' + paragraph(plainLine(finding.mend), { ...look, indent: 4 })
}

function tail({ stderrTail }: ServerReport, look: Look): string {
  if (stderrTail.length === 0) return ''
  const lines = stderrTail.map((line) => `    ${look.style.faint(plainLine(line))}\n`)
  return `  ${look.style.faint('the last lines of its stderr:')}\n${lines.join('')}`
}

function verdict(ground: Report, servers: readonly ServerReport[]): string {
  const problems = [ground, ...servers].flatMap((report) => report.findings).filter(isProblem).length
  if (problems > 0) return `${count(problems, 'problem')} found.`
  return servers.length === 0
    ? 'All well, but no servers are configured.'
    : `All well: ${count(servers.length, 'server')}.`
}
