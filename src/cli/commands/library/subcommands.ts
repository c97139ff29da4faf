import type { ParseArgsOptionsConfig } from 'node:util'
import type { Subcommand } from './subcommand.ts'

/** Every flag of every subcommand. Which of them a subcommand takes stands in the table below. */
export const libraryOptions = {
  'prompts-dir': { type: 'string' },
  layer: { type: 'string' },
  tag: { type: 'string', multiple: true },
  'any-tag': { type: 'string', multiple: true },
  raw: { type: 'boolean' },
  render: { type: 'boolean' },
  args: { type: 'string' },
  at: { type: 'string' },
  limit: { type: 'string' },
  field: { type: 'string', multiple: true },
  'min-score': { type: 'string' },
  file: { type: 'string' },
  text: { type: 'string' },
  title: { type: 'string' },
  description: { type: 'string' },
  argument: { type: 'string', multiple: true },
  revision: { type: 'string' },
  remove: { type: 'boolean' },
  format: { type: 'string' },
  yes: { type: 'boolean', short: 'y' },
  'dry-run': { type: 'boolean' },
  'new-only': { type: 'boolean' },
  to: { type: 'string' },
  force: { type: 'boolean' },
  project: { type: 'boolean' },
  log: { type: 'string' },
  settings: { type: 'string' },
  'read-only': { type: 'boolean' },
  propose: { type: 'boolean' },
  write: { type: 'boolean' },
} as const satisfies ParseArgsOptionsConfig

export type LibraryFlag = keyof typeof libraryOptions

export interface SubcommandEntry {
  readonly usage: string
  readonly summary: string
  readonly flags: readonly LibraryFlag[]
  readonly load: () => Promise<{ readonly subcommand: Subcommand }>
}

const choosing = ['tag', 'any-tag', 'layer'] as const
const writing = ['file', 'text', 'title', 'description', 'tag', 'argument', 'layer'] as const

export const subcommands: Readonly<Record<string, SubcommandEntry>> = {
  list: {
    usage: 'list',
    summary: 'all prompts',
    flags: choosing,
    load: () => import('./list.ts'),
  },
  show: {
    usage: 'show NAME [--raw | --render key=value…]',
    summary: 'one prompt in full, or filled in',
    flags: ['raw', 'render', 'args', 'at', 'layer'],
    load: () => import('./show.ts'),
  },
  search: {
    usage: 'search WORDS',
    summary: 'find prompts by what they are about',
    flags: ['tag', 'any-tag', 'limit', 'field', 'min-score'],
    load: () => import('./search.ts'),
  },
  add: {
    usage: 'add NAME',
    summary: 'write a prompt, in your editor or by flags',
    flags: writing,
    load: () => import('./add.ts'),
  },
  edit: {
    usage: 'edit NAME',
    summary: 'change a prompt',
    flags: writing,
    load: () => import('./edit.ts'),
  },
  rename: {
    usage: 'rename NAME NEW',
    summary: 'give a prompt another name; its history goes with it',
    flags: ['layer'],
    load: () => import('./rename.ts'),
  },
  remove: {
    usage: 'remove NAME…',
    summary: 'take prompts out; they can be restored',
    flags: ['layer'],
    load: () => import('./remove.ts'),
  },
  history: {
    usage: 'history NAME',
    summary: 'the revisions of a prompt',
    flags: ['layer'],
    load: () => import('./history.ts'),
  },
  diff: {
    usage: 'diff NAME [REVISION [REVISION]]',
    summary: 'what changed between two revisions',
    flags: ['layer'],
    load: () => import('./diff.ts'),
  },
  restore: {
    usage: 'restore NAME REVISION',
    summary: 'go back to a revision, as a new one',
    flags: ['layer'],
    load: () => import('./restore.ts'),
  },
  label: {
    usage: 'label NAME LABEL',
    summary: 'point a label such as production at a revision',
    flags: ['revision', 'remove', 'layer'],
    load: () => import('./label.ts'),
  },
  tags: {
    usage: 'tags',
    summary: 'all tags, with how many prompts have each',
    flags: ['layer'],
    load: () => import('./tags.ts'),
  },
  validate: {
    usage: 'validate [NAME…]',
    summary: 'look for mistakes in prompts and their files',
    flags: choosing,
    load: () => import('./validate.ts'),
  },
  stats: {
    usage: 'stats',
    summary: 'how much there is, and where',
    flags: [],
    load: () => import('./stats.ts'),
  },
  import: {
    usage: 'import SOURCE',
    summary: 'bring in prompts from a file, a folder or a git repository',
    flags: ['format', 'tag', 'layer', 'new-only', 'dry-run', 'yes'],
    load: () => import('./import.ts'),
  },
  export: {
    usage: 'export FORMAT [NAME…]',
    summary: 'write prompts in the format of another client',
    flags: [...choosing, 'to', 'force'],
    load: () => import('./export.ts'),
  },
  sync: {
    usage: 'sync CLIENT [NAME…]',
    summary: 'make slash commands of prompts in another client',
    flags: [...choosing, 'project', 'remove', 'dry-run'],
    load: () => import('./sync.ts'),
  },
  serve: {
    usage: 'serve',
    summary: 'serve the library to an MCP client',
    flags: ['log', 'settings', 'read-only', 'propose', 'write'],
    load: () => import('./serve.ts'),
  },
}
