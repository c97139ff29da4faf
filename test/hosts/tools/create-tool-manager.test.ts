import { describe, expect, test } from 'vitest'
import { createToolManager, type TrustQuestion } from '../../../src/hosts/tools/index.ts'
import { tempFolder } from '../../config/temp-folder.ts'
import { fixture } from '../../fixtures/fixture.ts'
import { makers, openTestHub } from '../../hub/makers.ts'
import { begin, hasTool, openManager, told, until } from './open-manager.ts'

test('is ready with the tools of the servers that answer, and says which did not and why', async () => {
  await using manager = await openManager({
    echo: fixture('echo'),
    broken: fixture('exits-at-start'),
    ghost: { command: 'no-such-program' },
  })

  expect(manager.names()).toContain('mcp.echo.echo')
  expect(manager.servers()).toEqual([
    { kind: 'failed', server: 'broken', error: expect.objectContaining({ code: 'start_failed' }) },
    { kind: 'ready', server: 'echo', tools: expect.any(Number) },
    { kind: 'failed', server: 'ghost', error: expect.objectContaining({ code: 'start_failed' }) },
  ])
})

test('names entries that cannot be used, and warns of fields that nobody knows', async () => {
  await using manager = await openManager({
    echo: { ...fixture('echo'), timeOut: 3 },
    empty: {},
  })

  expect(manager.servers()).toMatchObject([
    { kind: 'ready', server: 'echo' },
    { kind: 'failed', server: 'empty', error: { code: 'config_missing_field' } },
  ])
  expect(manager.warnings()).toEqual([expect.stringContaining('timeOut')])
})

test('starts no server of the project that nobody approved, and says so', async () => {
  await using folder = await tempFolder()
  const projectOptions = { file: 'options.json', mcpServers: { theirs: fixture('echo') } }

  await using manager = await openManager({}, { home: folder.path, projectOptions })
  await manager.settled()

  expect(manager.names()).toEqual([])
  expect(manager.servers()).toEqual([
    { kind: 'untrusted', server: 'theirs', error: expect.objectContaining({ code: 'not_trusted' }) },
  ])
})

test('lets a project replace a server of the user by name, once a person approved it', async () => {
  await using folder = await tempFolder()
  const user = { files: fixture('echo', { env: { WHOSE: 'user' } }) }
  const projectOptions = {
    file: 'options.json',
    mcpServers: { files: fixture('echo', { env: { WHOSE: 'project' } }) },
  }
  await using manager = await openManager(user, {
    home: folder.path,
    projectOptions,
    alwaysAllow: ['*'],
    askTrust: () => ({ files: 'once' }),
  })
  await manager.settled()

  const whose = await told(manager, begin(manager, 'mcp.files.env', { name: 'WHOSE' }))

  expect(whose).toBe('project')
})

test('asks about all servers of a project at once, remembers always and never, and asks again about the rest', async () => {
  await using folder = await tempFolder()
  const entry = fixture('echo')
  const projectOptions = {
    file: 'options.json',
    mcpServers: { kept: entry, shunned: entry, tried: entry, open: entry },
  }
  const questions: TrustQuestion[] = []
  const askTrust = (question: TrustQuestion) => {
    questions.push(question)
    return { kept: 'always', shunned: 'never', tried: 'once' } as const
  }

  const names = async (): Promise<readonly string[]> => {
    await using manager = await openManager({}, { home: folder.path, projectOptions, askTrust })
    await manager.settled()
    return manager.names().filter((name) => name.endsWith('.echo'))
  }
  const first = await names()
  await names()

  expect(first).toEqual(['mcp.kept.echo', 'mcp.tried.echo'])
  expect(questions.map(({ servers }) => servers.map(({ name }) => name))).toEqual([
    ['kept', 'open', 'shunned', 'tried'],
    ['open', 'tried'],
  ])
  expect(questions[0]).toMatchObject({ file: `${folder.path}/options.json` })
  expect(questions[0]?.servers[0]?.lines).toContain(`command: ${process.execPath}`)
})

test('asks again about a project server that changed, with the difference alone', async () => {
  await using folder = await tempFolder()
  const questions: TrustQuestion[] = []
  const openWith = async (args: readonly string[]): Promise<void> => {
    const projectOptions = { file: 'options.json', mcpServers: { theirs: fixture('echo', { args }) } }
    await using manager = await openManager(
      {},
      {
        home: folder.path,
        projectOptions,
        askTrust: (question) => {
          questions.push(question)
          return { theirs: 'always' }
        },
      },
    )
    await manager.settled()
  }

  await openWith(['--first'])
  await openWith(['--second'])

  const [server] = questions[1]?.servers ?? []
  expect(server?.change).toBe('changed')
  expect(server?.lines).toHaveLength(1)
  expect(server?.lines[0]).toMatch(/--first.* → .*--second/)
})

test('is ready while a person thinks about the project, and withdraws the question when it is closed', async () => {
  await using folder = await tempFolder()
  const projectOptions = { file: 'options.json', mcpServers: { theirs: fixture('echo') } }
  const asked = Promise.withResolvers<AbortSignal>()
  const manager = await openManager(
    { mine: fixture('echo') },
    {
      home: folder.path,
      projectOptions,
      askTrust: (_question, { signal }) => {
        asked.resolve(signal)
        return new Promise(() => {})
      },
    },
  )
  const signal = await asked.promise
  const settled = manager.settled()

  expect(manager.names()).toContain('mcp.mine.echo')
  await manager[Symbol.asyncDispose]()

  expect(signal.aborted).toBe(true)
  await expect(settled).rejects.toThrow()
})

test('closing it ends calls that run, with a result for each, and the servers', async () => {
  const manager = await openManager({ echo: fixture('echo') })
  const pid = Number(await told(manager, begin(manager, 'echo.pid')))
  const running = begin(manager, 'echo.slow', { ms: 60_000 })
  await new Promise<void>((resolve) => {
    running.on(({ invocation }) => invocation.state.kind === 'processing' && resolve())
  })

  await manager[Symbol.asyncDispose]()
  await manager[Symbol.asyncDispose]()

  expect(running.state).toMatchObject({ kind: 'error', code: 'cancelled' })
  expect((await running.result).isError).toBe(true)
  expect(() => process.kill(pid, 0)).toThrow(/ESRCH/)
})

test('gives a call after the end a result that says so, instead of starting anything', async () => {
  const manager = await openManager({ echo: fixture('echo') })
  await manager[Symbol.asyncDispose]()

  const late = begin(manager, 'echo.echo', { message: 'hi' })

  expect(await told(manager, late)).toBe('Stopped before it ran.')
})

describe.each(makers)('over a hub of the host, from %s,', (_maker, open) => {
  test('it works, and leaves the hub open', async () => {
    await using hub = await open({ echo: fixture('echo') })
    const manager = await createToolManager({ hub, alwaysAllow: ['echo.*'] })
    const said = await told(manager, begin(manager, 'echo.echo', { message: 'hi' }))

    await manager[Symbol.asyncDispose]()
    const after = await hub.call({ server: 'echo', tool: 'echo' }, { message: 'still here' })

    expect(said).toBe('hi')
    expect(after.content).toEqual([{ type: 'text', text: 'still here' }])
  })

  test('it follows servers that are switched off and on', async () => {
    await using hub = await open({ echo: fixture('echo'), other: fixture('echo') })
    await using manager = await createToolManager({ hub })

    await hub.control('echo', 'disable')
    await until(manager, () => !hasTool(manager, 'mcp.echo.echo'))
    const without = manager.servers().map(({ server }) => server)
    await hub.control('echo', 'enable')
    await until(manager, () => hasTool(manager, 'mcp.echo.echo'))

    expect(without).toEqual(['other'])
    expect(manager.servers().map(({ server }) => server)).toEqual(['echo', 'other'])
  })

  test('it keeps the tools of a server that has died, and says how it stands', async () => {
    await using folder = await tempFolder()
    const { command, args } = fixture('echo')
    // It starts as long as nobody has left a file there.
    const script = 'test ! -e "$0" && exec "$@"'
    const frail = { command: 'sh', args: ['-c', script, `${folder.path}/broken`, command, ...args] }
    await using hub = await open({ frail })
    await using manager = await createToolManager({ hub, alwaysAllow: ['*'] })
    await folder.write({ broken: '' })

    await begin(manager, 'frail.exit').result
    await until(manager, () => manager.servers()[0]?.kind === 'stale')

    expect(manager.names()).toContain('mcp.frail.echo')
    expect(manager.servers()).toMatchObject([{ kind: 'stale', server: 'frail', error: { server: 'frail' } }])
  })
})

test('gives up the start with its signal, and leaves nothing behind', async () => {
  const opening = openManager({ slow: fixture('never-answers') }, { signal: AbortSignal.timeout(300) })

  await expect(opening).rejects.toMatchObject({ code: 'timed_out' })
})

test('lets no look at all servers undo what was heard of one of them meanwhile', async () => {
  await using hub = await openTestHub(
    { echo: fixture('echo'), slow: fixture('never-answers') },
    { catalogueSeconds: 1 },
  )
  const opening = createToolManager({ hub })
  using _listening = hub.on((event) => {
    if (event.kind === 'state' && event.server === 'echo' && event.state.kind === 'ready') {
      void hub.control('echo', 'disable')
    }
  })

  await using manager = await opening

  expect(manager.servers().map(({ server }) => server)).toEqual(['slow'])
})

test('takes up a server that was too late for the first look', async () => {
  await using hub = await openTestHub({ late: fixture('slow-start', { args: ['1500'] }) }, { catalogueSeconds: 0.2 })
  await using manager = await createToolManager({ hub })
  const before = manager.servers()

  await until(manager, () => manager.names().length > 0)

  expect(before[0]?.kind).toBe('failed')
  expect(manager.servers()[0]?.kind).toBe('ready')
})
