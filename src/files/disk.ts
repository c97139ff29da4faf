import { open, readFile, rename, stat, unlink } from 'node:fs/promises'
import { hasCode, syncFolder } from './atomic-write.ts'
import { withLock, type LockOptions } from './lock.ts'

/** What a log needs of a disk. Behind an interface so that tests can make every single step fail, or the machine stop after it. */
export interface Disk {
  /** Absent when there is no such file. */
  stamp(path: string): Promise<Stamp | undefined>
  read(path: string): Promise<Buffer>
  /** `a` appends and creates, `wx` creates only. */
  open(path: string, flags: 'a' | 'wx', mode: number): Promise<DiskFile>
  rename(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
  syncFolder(folder: string): Promise<void>
  lock<T>(path: string, run: () => Promise<T>, options: LockOptions): Promise<T>
}

export interface DiskFile {
  size(): Promise<number>
  /** May write less than it was given. */
  write(bytes: Buffer): Promise<number>
  truncate(size: number): Promise<void>
  sync(): Promise<void>
  close(): Promise<void>
}

/** Two equal stamps mean the same content, unless the file was changed within `settleMs` of `changedMs`. */
export interface Stamp {
  readonly file: bigint
  readonly size: number
  readonly changedMs: number
  readonly mode: number
}

export function isSameStamp(a: Stamp | undefined, b: Stamp | undefined): boolean {
  return a?.file === b?.file && a?.size === b?.size && a?.changedMs === b?.changedMs
}

export const realDisk: Disk = {
  async stamp(path) {
    try {
      const found = await stat(path, { bigint: true })
      const changedMs = Number(found.mtimeNs / 1000n) / 1000
      return { file: found.ino, size: Number(found.size), changedMs, mode: Number(found.mode) & 0o777 }
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined
      throw error
    }
  },
  read: async (path) => await readFile(path),
  async open(path, flags, mode) {
    const file = await open(path, flags, mode)
    return {
      size: async () => (await file.stat()).size,
      write: async (bytes) => (await file.write(bytes)).bytesWritten,
      truncate: async (size) => await file.truncate(size),
      sync: async () => await file.sync(),
      close: async () => await file.close(),
    }
  },
  rename,
  unlink,
  syncFolder,
  lock: withLock,
}
