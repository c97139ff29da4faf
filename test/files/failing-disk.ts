import type { Disk, DiskFile, Stamp } from '../../src/files/disk.ts'

/** Thrown instead of going on: from here on the machine is without power. */
const powerLoss = new Error('The power went.')

/** What happens at the step of that number. */
export type Fault =
  | { readonly kind: 'crash' }
  | { readonly kind: 'error'; readonly code: 'EIO' | 'ENOSPC' }
  | { readonly kind: 'short-write' }

export interface FailingDisk {
  readonly disk: Disk
  /** How many steps were taken. */
  steps(): number
  /** Makes the step with this number, counted from now, go wrong. */
  failAt(step: number, fault: Fault): void
  /** Switches on again: of what was not synced, only `kept` (0 to 1) of the bytes are still there. */
  restart(kept: number): void
}

interface Node {
  readonly id: bigint
  bytes: Buffer
  /** What a loss of power leaves for certain. */
  safe: Buffer
  changed: number
}

/** A disk in memory that loses what was not synced, folder entries included, and fails where it is told to. */
export function failingDisk(): FailingDisk {
  let names = new Map<string, Node>()
  let safeNames = new Map<string, Node>()
  let [taken, clock] = [0, 0]
  let plan: { readonly at: number; readonly fault: Fault } | undefined
  let isDead = false

  return {
    disk: {
      stamp: async (path) => stampOf(names.get(path)),
      read: async (path) => Buffer.from(nodeAt(path).bytes),
      open: async (path, flags) => {
        step()
        if (flags === 'wx' && names.has(path)) throw systemError('EEXIST')
        const node = names.get(path) ?? newNode(path)
        return fileOf(node)
      },
      rename: async (from, to) => {
        step()
        names.set(to, nodeAt(from))
        names.delete(from)
      },
      unlink: async (path) => {
        step()
        nodeAt(path)
        names.delete(path)
      },
      syncFolder: async () => {
        step()
        safeNames = new Map(names)
      },
      lock: async (_path, run) => await run(),
    },
    steps: () => taken,
    failAt: (count, fault) => (plan = { at: taken + count, fault }),
    restart: (kept) => {
      isDead = false
      plan = undefined
      names = new Map(safeNames)
      for (const node of new Set(names.values())) {
        const unsafe = node.bytes.length - node.safe.length
        const isGrown = unsafe > 0 && node.bytes.subarray(0, node.safe.length).equals(node.safe)
        node.bytes = isGrown ? node.bytes.subarray(0, node.safe.length + Math.floor(unsafe * kept)) : node.safe
        node.safe = node.bytes
        node.changed = clock += 1000
      }
    },
  }

  /** True when the write is to be cut short. */
  function step(): boolean {
    if (isDead) throw powerLoss
    taken += 1
    if (plan?.at !== taken) return false
    const { fault } = plan
    if (fault.kind === 'short-write') return true
    if (fault.kind === 'error') throw systemError(fault.code)
    isDead = true
    throw powerLoss
  }

  function newNode(path: string): Node {
    const node = { id: BigInt((clock += 1000)), bytes: Buffer.alloc(0), safe: Buffer.alloc(0), changed: clock }
    names.set(path, node)
    return node
  }

  function nodeAt(path: string): Node {
    const node = names.get(path)
    if (node === undefined) throw systemError('ENOENT')
    return node
  }

  function fileOf(node: Node): DiskFile {
    const set = (bytes: Buffer) => {
      node.bytes = bytes
      node.changed = clock += 1000
    }
    return {
      size: async () => node.bytes.length,
      write: async (bytes) => {
        const isShort = step()
        const written = isShort ? Math.ceil(bytes.length / 3) : bytes.length
        set(Buffer.concat([node.bytes, bytes.subarray(0, written)]))
        return written
      },
      truncate: async (size) => {
        step()
        set(node.bytes.subarray(0, size))
      },
      sync: async () => {
        step()
        node.safe = node.bytes
      },
      close: async () => {},
    }
  }
}

function stampOf(node: Node | undefined): Stamp | undefined {
  return node === undefined
    ? undefined
    : { file: node.id, size: node.bytes.length, changedMs: node.changed, mode: 0o600 }
}

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: made by a test`), { code })
}
