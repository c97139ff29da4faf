import { median, ratioOf, type Samples } from '../measure.ts'
import type { Row } from '../table.ts'

export const direct = 'direct, stdio'
export const ours = 'Capstan'

/** What one round of one way gives. */
export type Figure = 'p50' | 'p99' | 'perSecond' | 'cpuMs' | 'rssMB'

/** A line per way: medians over the rounds. */
export function figureTable(samples: Samples): string {
  const head = ['way', 'p50', 'p99', 'calls/s', 'CPU per call', 'RSS after']
  const lines = Object.keys(samples).map((name) => {
    if (Number.isNaN(medianOf(samples, name, 'p50'))) return [name, 'no figure', '', '', '', '']
    const of = (figure: Figure): number => medianOf(samples, name, figure)
    const ms = (figure: Figure): string => `${of(figure) < 100 ? of(figure).toPrecision(3) : of(figure).toFixed(0)} ms`
    return [name, ms('p50'), ms('p99'), of('perSecond').toFixed(0), ms('cpuMs'), `${of('rssMB').toFixed(0)} MB`]
  })
  return [head, head.map(() => '---'), ...lines].map((line) => `| ${line.join(' | ')} |`).join('\n')
}

/** Ours beside the best peer; none where no peer is there. */
export function targetRows(all: Samples, work: string): readonly Row[] {
  const samples = withAdded(all)
  const peers = Object.keys(samples).filter((name) => name !== direct && name !== ours)
  const row = (what: string, figure: string, target: number): readonly Row[] => {
    const served = peers.filter((name) => !Number.isNaN(medianOf(samples, name, figure)))
    const [best] = served.toSorted((a, b) => medianOf(samples, a, figure) - medianOf(samples, b, figure))
    if (best === undefined) return []
    const comparison = ratioOf(samples, { floor: best, ours }, figure)
    return [{ work: `${what}, ${work}`, floor: `${best}, the best peer`, unit: 'ms', target, ...comparison }]
  }
  return [...row('CPU per call', 'cpuMs', 0.6), ...row('added p50', 'addedP50', 0.5)]
}

/** What a way adds to the p50 of the same round without a gateway. */
function withAdded(samples: Samples): Samples {
  const floor = samples[direct] ?? []
  const added = Object.entries(samples).map(([name, figures]) => [
    name,
    figures.map((one, round) => ({
      ...one,
      addedP50: (one['p50'] ?? Number.NaN) - (floor[round]?.['p50'] ?? Number.NaN),
    })),
  ])
  return Object.fromEntries(added) as Samples
}

function medianOf(samples: Samples, name: string, figure: string): number {
  return median((samples[name] ?? []).map((figures) => figures[figure] ?? Number.NaN))
}
