import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  type InputRequests,
  type InputRequiredResult,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { said } from './fixture-tools.ts'

type Question = InputRequests[string]
type Form = Parameters<typeof inputRequired.elicit>[0]['requestedSchema']

/** A question for one text. */
export function askText(message: string, name: string): Question {
  const requestedSchema = { type: 'object' as const, properties: { [name]: { type: 'string' as const } } }
  return inputRequired.elicit({ message, requestedSchema: { ...requestedSchema, required: [name] } })
}

function askModel(words: string): Question {
  const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: words } }]
  return inputRequired.createMessage({ messages, maxTokens: 100 })
}

/** Tools that ask the client before they answer. Written the newer way: the SDK asks older clients in the middle of the call. */
export function addAskingTools(mcp: McpServer): void {
  addOfBothEras(mcp)
  addForms(mcp)
  addRounds(mcp)
  addWithState(mcp)
}

function addOfBothEras(mcp: McpServer): void {
  const prompt = { description: 'Asks a model.', inputSchema: z.object({ prompt: z.string() }) }
  mcp.registerTool('test_sampling', prompt, ({ prompt: words }, { mcpReq }) =>
    asking(mcpReq, { answer: askModel(words) }, (answers) => `LLM response: ${JSON.stringify(answers['answer'])}`),
  )
  const message = { description: 'Asks a person.', inputSchema: z.object({ message: z.string() }) }
  const requestedSchema: Form = {
    type: 'object',
    properties: { username: { type: 'string' }, email: { type: 'string' } },
    required: ['username', 'email'],
  }
  mcp.registerTool('test_elicitation', message, ({ message: words }, { mcpReq }) =>
    asking(mcpReq, { user: inputRequired.elicit({ message: words, requestedSchema }) }, (answers) =>
      JSON.stringify(answers['user']),
    ),
  )
  mcp.registerTool('test_missing_capability', { description: 'Cannot do without a model.' }, ({ mcpReq }) =>
    asking(mcpReq, { answer: askModel('Why?') }, () => 'There is a model.'),
  )
  mcp.registerTool('test_streaming_elicitation', { description: 'Asks a person.' }, ({ mcpReq }) =>
    asking(mcpReq, { name: askText('What is your name?', 'name') }, () => 'Thank you.'),
  )
}

function addForms(mcp: McpServer): void {
  const titled = (word: string) =>
    ['First', 'Second', 'Third'].map((title, index) => ({ const: `value${index + 1}`, title: `${title} ${word}` }))
  const options = ['option1', 'option2', 'option3']
  const forms: Readonly<Record<string, Form>> = {
    test_elicitation_sep1034_defaults: {
      type: 'object',
      properties: {
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      },
    },
    test_elicitation_sep1330_enums: {
      type: 'object',
      properties: {
        untitledSingle: { type: 'string', enum: options },
        titledSingle: { type: 'string', oneOf: titled('Option') },
        legacyEnum: {
          type: 'string',
          enum: ['opt1', 'opt2', 'opt3'],
          enumNames: ['Option One', 'Option Two', 'Option Three'],
        },
        untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
        titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
      },
    },
  }
  for (const [name, requestedSchema] of Object.entries(forms))
    mcp.registerTool(name, { description: 'Shows a form.' }, ({ mcpReq }) =>
      asking(mcpReq, { form: inputRequired.elicit({ message: 'Please fill in.', requestedSchema }) }, (answers) =>
        JSON.stringify(answers['form']),
      ),
    )
}

function addRounds(mcp: McpServer): void {
  const name = askText('What is your name?', 'name')
  mcp.registerTool('test_input_required_result_elicitation', { description: 'Asks for a name.' }, ({ mcpReq }) => {
    const given = acceptedContent(mcpReq.inputResponses, 'user_name', z.object({ name: z.string() }))
    return given === undefined ? inputRequired({ inputRequests: { user_name: name } }) : said(`Hello, ${given.name}!`)
  })
  mcp.registerTool('test_input_required_result_sampling', { description: 'Asks a model.' }, ({ mcpReq }) =>
    asking(mcpReq, { capital_question: askModel('What is the capital of France?') }, (answers) =>
      JSON.stringify(answers['capital_question']),
    ),
  )
  mcp.registerTool('test_input_required_result_list_roots', { description: 'Asks for folders.' }, ({ mcpReq }) =>
    asking(mcpReq, { client_roots: inputRequired.listRoots() }, (answers) => JSON.stringify(answers['client_roots'])),
  )
  mcp.registerTool('test_input_required_result_capabilities', { description: 'Asks what it may.' }, ({ mcpReq }) => {
    const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope }
    // Said with each request, or once at the start.
    const declared = envelope[CLIENT_CAPABILITIES_META_KEY] ?? mcp.server.getClientCapabilities()
    const may = (capability: string) => typeof declared === 'object' && declared !== null && capability in declared
    const questions = {
      ...(may('elicitation') ? { name } : {}),
      ...(may('sampling') ? { greeting: askModel('Generate a greeting') } : {}),
    }
    return asking(mcpReq, questions, (answers) => JSON.stringify(answers))
  })
}

function addWithState(mcp: McpServer): void {
  const confirm = (): Question =>
    inputRequired.elicit({
      message: 'Please confirm',
      requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
    })
  for (const name of ['test_input_required_result_request_state', 'test_input_required_result_tampered_state'])
    mcp.registerTool(name, { description: 'Keeps something in mind meanwhile.' }, ({ mcpReq }) => {
      const answer = mcpReq.inputResponses?.['confirm']
      if (answer === undefined) return inputRequired({ inputRequests: { confirm: confirm() }, requestState: 'kept' })
      return said(mcpReq.requestState() === 'kept' ? 'state-ok' : 'The state was lost.')
    })
  mcp.registerTool('test_input_required_result_multiple_inputs', { description: 'Asks much.' }, ({ mcpReq }) => {
    if (mcpReq.inputResponses !== undefined) return said(JSON.stringify(mcpReq.inputResponses))
    const inputRequests = {
      user_name: askText('What is your name?', 'name'),
      greeting: askModel('Generate a greeting'),
      client_roots: inputRequired.listRoots(),
    }
    return inputRequired({ inputRequests, requestState: 'several' })
  })
  mcp.registerTool('test_input_required_result_multi_round', { description: 'Asks twice.' }, ({ mcpReq }) => {
    const { step1, step2 } = { ...mcpReq.inputResponses }
    if (step2 !== undefined) return said(`${String(mcpReq.requestState())}: ${JSON.stringify(step2)}`)
    if (step1 === undefined) {
      const first = askText('Step 1: What is your name?', 'name')
      return inputRequired({ inputRequests: { step1: first }, requestState: 'round 1' })
    }
    const second = askText('Step 2: What is your favorite color?', 'color')
    return inputRequired({ inputRequests: { step2: second }, requestState: 'round 2' })
  })
}

/** The questions first, then what is made of the answers. */
function asking(
  { inputResponses }: ServerContext['mcpReq'],
  inputRequests: InputRequests,
  finish: (answers: Readonly<Record<string, unknown>>) => string,
): InputRequiredResult | ReturnType<typeof said> {
  return inputResponses === undefined ? inputRequired({ inputRequests }) : said(finish(inputResponses))
}
