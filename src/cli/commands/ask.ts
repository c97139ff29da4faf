import { chooseModel, howToSetModel } from '../../agent/choose-model.ts'
import { openConversations } from '../../agent/conversations.ts'
import type { Model } from '../../agent/model.ts'
import { openModel } from '../../agent/open-model.ts'
import { openPermissions } from '../../agent/permissions.ts'
import { openSession } from '../../agent/open-session.ts'
import type { Config } from '../../config/types.ts'
import { CapstanError } from '../../errors.ts'
import { places } from '../../files/places.ts'
import { readQuestion } from '../asking/messages.ts'
import { reportOutcome, showEvents, type OutputForm } from '../asking/report.ts'
import type { Command, CommandContext, CommandInput } from '../command.ts'

export const command: Command = {
  options: {
    prompt: { type: 'string' },
    args: { type: 'string' },
    allow: { type: 'string', multiple: true },
    model: { type: 'string' },
    'max-turns': { type: 'string' },
    'stream-json': { type: 'boolean' },
  },
  help: `Ask a model one question. It may use the tools of your servers, as far as they are allowed; nobody is asked, so what is
not allowed is refused. Standard input is given to it as context.

  --prompt SERVER:PROMPT key=value…   begin with a prompt of a server; a question may follow
  --args JSON       the arguments of the prompt as one JSON object, also @file or -
  --allow GLOB      the model may call just these tools (repeatable); without it, those that the config or you
                    in a session have allowed
  --model NAME      anthropic/NAME, openai/NAME, google/NAME, or a model at the address in [model] of config.toml
  --max-turns N     end after so many steps of the model (100)
  --stream-json     everything that happens, one JSON value per line
  --json            the answer with its conversation, usage and calls

Exit code 5 when a tool was refused, 2 without a model, 3 when its provider does not answer.

Examples
  capstan ask "What changed in this repository today?" --allow 'git.*'
  git diff | capstan ask "Is there a mistake in this?"
  capstan ask --prompt everything:args-prompt city=Lisbon`,
  run,
}

async function run(context: CommandContext, input: CommandInput): Promise<number> {
  const { io, signal } = context
  const { values } = input
  const form: OutputForm = values['stream-json'] === true ? 'stream-json' : context.flags.json ? 'json' : 'text'
  const maxSteps = stepsOf(values['max-turns'])
  const config = await context.loadConfig()
  const model = modelFor(values['model'], config)
  const asked = await readQuestion(context, input)
  const stateFolder = places(io.env).state
  const { workspaceFolder } = config.surroundings
  const [hub, permissions] = await Promise.all([
    context.openHub(),
    openPermissions({ stateFolder, project: workspaceFolder, config, only: globs(values['allow']) }),
  ])
  const conversation = openConversations({ stateFolder }).create(workspaceFolder)
  const inlinePercent = config.settings.model?.inlinePercent
  await using session = openSession({
    hub,
    model,
    permissions,
    conversation,
    mayAsk: false,
    maxSteps,
    ...(inlinePercent === undefined ? {} : { inlinePercent }),
  })
  using shown = showEvents(session, form, io)
  signal.addEventListener('abort', () => session.abort(), { once: true })
  const outcome = await session.send({ kind: 'messages', ...asked })
  await shown.written()
  return await reportOutcome({ outcome, session, form }, context)
}

function modelFor(named: unknown, { settings, surroundings }: Config): Model {
  const { env, homeFolder } = surroundings
  const choice = chooseModel({ named: typeof named === 'string' ? named : undefined, env, settings: settings.model })
  if (choice === undefined)
    throw new CapstanError('model_unknown', 'No model is set, so nobody can answer.', { next: howToSetModel })
  return openModel(choice, { env, homeFolder })
}

function stepsOf(value: CommandInput['values'][string]): number {
  if (value === undefined) return 100
  const steps = Number(value)
  if (Number.isSafeInteger(steps) && steps > 0) return steps
  throw new CapstanError('usage', `--max-turns wants a whole number above 0, not "${String(value)}".`)
}

function globs(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.map(String) : undefined
}
