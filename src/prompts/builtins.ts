import type { Prompt, PromptArgument, PromptStep } from './prompt.ts'

/**
 * The prompts that come with Capstan. Code arguments also take the place where the code is, and stand last: clients without
 * forms put all that is left of the line into the last argument.
 */
export const builtinPrompts: readonly Prompt[] = [
  {
    name: 'code_review',
    title: 'Review code',
    description: 'Finds what is wrong with code or a change, the worst first, each with a proof and a fix.',
    arguments: [
      optional('focus', 'What matters most to you', ['security', 'performance', 'error handling', 'readability']),
      required('code', 'The code or the diff, or where it is: a path, a branch, "my staged changes"'),
    ],
    messages: [
      user(`Review this code as the colleague who will be called at night when it breaks.

{{#if focus}}
Look hardest at {{focus}}, but do not pass over a serious fault elsewhere.
{{/if}}

Work in this order:
1. Say in one or two sentences what the code is meant to do. If you cannot tell, ask before you go on.
2. Follow it with a normal input, an empty one, one that is far too large, one that is malicious, and two at the same time.
3. Check what it takes for granted: values that may be missing, errors that are swallowed, resources that stay open, limits, time zones, text that is not ASCII, callers that no longer fit.

Report only what you can show. For each finding give:
- how bad it is: **must fix** (wrong result, lost data, security hole, crash), **should fix** (will hurt soon) or **could be better**;
- where it is: file and line, or the line itself;
- the input or the order of events that makes it go wrong;
- the smallest change that mends it, as code.

The worst comes first. Leave out style that a formatter settles and praise that says nothing. If you find nothing that must be fixed, say so plainly, and name what you could not check.

The code:

{{code}}`),
    ],
    tags: ['code', 'code/review'],
    template: 'plus',
  },
  {
    name: 'explain_code',
    title: 'Explain code',
    description: 'Explains code to the reader you name: what it is for, how it works, and where its traps are.',
    arguments: [
      optional('reader', 'Who reads it', ['a new colleague', 'a beginner', 'an expert in another language']),
      optional('question', 'What the reader most wants to know'),
      required('code', 'The code, or where it is: a path, a function, a link'),
    ],
    messages: [
      user(`Explain the code below{{#if reader}} to {{reader}}{{/if}}.

{{#if question}}
Above all the reader wants to know: {{question}}
Answer that first, then give what is needed to understand the answer.
{{/if}}

1. **What it is for**, in one sentence, without words from the code.
2. **How it works**: follow one concrete example from input to output, and name the values on the way.
3. **Why it is written like this**: decisions that are not obvious, and what would break without them. Mark what you only suppose.
4. **Traps**: what surprises a person who changes or calls it.

Explain ideas, not syntax; do not go through it line by line. Quote only the lines that you talk about. If part of it depends on code you cannot see, say what you assume about that code.

The code:

{{code}}`),
    ],
    tags: ['code', 'code/understand'],
    template: 'plus',
  },
  {
    name: 'generate_tests',
    title: 'Write tests',
    description: 'Writes tests that would catch a real fault, in the framework and style the project already has.',
    arguments: [
      optional('framework', 'The test framework; else the one that the project uses', [
        'vitest',
        'jest',
        'pytest',
        'go test',
        'junit',
      ]),
      required('code', 'The code to test, or where it is'),
    ],
    messages: [
      user(`Write tests for the code below{{#if framework}} with {{framework}}{{else}} with the test framework that the project uses; look at its existing tests first and write in their style{{/if}}.

First list the promises that the code makes to its callers, one line each, as a caller would say them. Then write one test for each promise, and give it that sentence as its title.

Besides the normal case cover:
- nothing, one and many; the values at each limit and just beyond it;
- input that is wrong, and what the caller is told then;
- what fails from outside: a missing file, a full disk, a slow or broken connection, a cancelled call;
- what happens twice, at the same time, or in another order.

Rules:
- A test must fail when the promise is broken. For each test name a small change of the code that it would catch; drop tests for which there is none.
- Test through the public functions. Use real things where they are cheap (temporary folders, local servers); replace only what is slow, random or far away.
- No sleeping, no dependence on the order of tests, on the clock, or on the network.
- Keep preparation, action and check apart in each test.

Where the code cannot be tested like this, say what you would change in it first. If a test shows a fault, report the fault and leave the test failing.

The code:

{{code}}`),
    ],
    tags: ['code', 'code/test'],
    template: 'plus',
  },
  {
    name: 'document_function',
    title: 'Document a function',
    description: 'Writes the comment a caller needs: what holds before and after, what goes wrong, one example.',
    arguments: [
      optional('style', 'The form of the comment; else the one that the language usually has', [
        'TSDoc',
        'JSDoc',
        'Google docstring',
        'rustdoc',
        'godoc',
      ]),
      required('code', 'The function, or where it is'),
    ],
    messages: [
      user(`Write the documentation comment for the function below{{#if style}} as {{style}}{{else}}, in the form that its language and its project use{{/if}}.

Write for somebody who calls it without reading its body:
- The first sentence says what the caller gets, starting with a verb. It does not repeat the name.
- For each parameter: what it means, its unit, and which values are allowed. Leave out what the type already says.
- What comes back, also when there is nothing to give back.
- Which errors come when, and what is left behind then.
- What else it does: files, network, global state, how long it may block, whether it may be called twice or at the same time.
- One short example that runs.

Read the body before you claim anything; where name and body disagree, tell me instead of describing either. Do not explain how it works inside, unless the caller has to know. Give back the comment together with the unchanged signature, ready to paste.

The function:

{{code}}`),
    ],
    tags: ['code', 'code/document'],
    template: 'plus',
  },
  {
    name: 'simplify_code',
    title: 'Simplify code',
    description: 'Makes code shorter and plainer without changing what it does, one small step after the other.',
    arguments: [
      optional('keep', 'What must not change', ['the public names', 'the speed', 'the log output']),
      required('code', 'The code, or where it is'),
    ],
    messages: [
      user(`Make the code below simpler, so that somebody new understands it in half the time. What it does must stay the same, faults and order of effects included.

{{#if keep}}
This must not change: {{keep}}.
{{/if}}

Look for, in this order:
1. what nobody uses: branches that cannot be reached, options with one value, layers that only pass things on;
2. the same thing said twice, also in different words;
3. conditions that can be turned so that the normal case runs straight down and special cases return early;
4. state that can be worked out instead of stored, and variables that live longer than they are needed;
5. names that say something else than the thing does;
6. home-made code for which the language or a library that is already there has a word.

Do not trade clearness for fewer characters, and do not add an abstraction that has only one user.

Give the new code whole, then a list: each change, and why it cannot be noticed from outside. If you found a fault on the way, keep it as it is and report it separately. If it is already as simple as its task, say so and change nothing.

The code:

{{code}}`),
    ],
    tags: ['code', 'code/refactor'],
    template: 'plus',
  },
  {
    name: 'fix_bugs',
    title: 'Find and fix a bug',
    description: 'Goes from symptom to cause to the smallest fix, with a test that fails before it.',
    arguments: [
      optional('symptom', 'What happens, what should happen, and the exact message if there is one'),
      required('code', 'The code, or where it is'),
    ],
    messages: [
      user(`Find the cause of a fault in the code below and mend it.

{{#if symptom}}
What was seen: {{symptom}}
{{else}}
No symptom was given: look for the fault that is most likely to hurt, and say how it would show.
{{/if}}

Go step by step and do not jump to a fix:
1. **Reproduce**: the smallest input or order of events that shows it. If you can run code, run it; if not, follow it by hand and write down the values.
2. **Explain**: the chain from cause to symptom. Name what you have seen and what you only suppose. If several causes fit, say what would tell them apart, and check that.
3. **Test**: a test that fails now because of this fault.
4. **Fix**: the smallest change at the cause, not at the place where it shows. No clean-up on the side.
5. **Look around**: where the same mistake stands a second time, and why it was not noticed before.

Never hide a fault by catching an error, retrying or adding a default, unless that is what the caller needs. If what is here is not enough to find the cause, stop and say exactly what you need to see.

The code:

{{code}}`),
    ],
    tags: ['code', 'code/debug'],
    template: 'plus',
  },
  {
    name: 'refactor_extract',
    title: 'Extract a part',
    description: 'Takes one idea out of code that has grown too long and gives it a name, without changing behaviour.',
    arguments: [
      optional('part', 'What to take out; else you are told what is worth it', ['the parsing', 'the database access']),
      optional('into', 'What it becomes', ['a function', 'a module', 'a class', 'a component']),
      required('code', 'The code, or where it is'),
    ],
    messages: [
      user(`Take {{#if part}}{{part}}{{else}}the part that has most reason to stand by itself{{/if}} out of the code below{{#if into}} and make it {{into}}{{/if}}.

1. **Choose the cut**: name the idea in one sentence without "and". Parts that change for the same reason stay together.
2. **Draw the border**: what goes in, what comes out, what it may do besides. Hand in what it needs instead of reaching for it. If more than three things must go in, the cut is probably wrong: say so, and propose a better one.
3. **Name it** after what the caller gets, not after how it is done.
4. **Move it** in steps that each leave the tests green, and show each step. No change of behaviour in a step that moves code.
5. **Follow up**: every caller, import, test and comment that has to change with it.

Show the finished code of both sides. Then compare honestly: what is easier to read, test and change now, and what it costs. If it is not worth it, say so.

The code:

{{code}}`),
    ],
    tags: ['code', 'code/refactor'],
    template: 'plus',
  },
  {
    name: 'write_runbook',
    title: 'Write a runbook',
    description: 'Turns notes, a chat or an incident into a runbook that somebody tired can follow without asking.',
    arguments: [
      required('task', 'What the runbook is for, such as "restore the database from a backup"'),
      optional('notes', 'What is known: commands, links, the log of an incident, an older page'),
    ],
    messages: [
      user(`Write a runbook for this task: {{task}}

It will be followed at night by somebody who knows the trade but not this system. Whoever wrote it is asleep.

{{#if notes}}
What is known, to be used but not trusted blindly:

{{notes}}
{{/if}}

Begin with:
- **When to use it**, and how to tell from the look-alikes that need another one.
- **Before you start**: access, tools, who has to know, how long it takes, what users will notice.

Then the steps. Each step
- begins with a verb and does one thing;
- gives the exact command or click, with a name in double braces for whatever differs each time;
- says what one sees when it worked, and what to do when not;
- carries a warning **before** the action when it cannot be undone, with the way back.

End with how to check that all is well from a user's point of view, how to undo everything, whom to call, and what to write down.

Mark every gap as TODO with the question to ask; do not make up hosts, commands or numbers. If this should be kept in the prompt library, offer it as a prompt with \`steps\`, with the names in braces as its \`arguments\`.`),
    ],
    tags: ['runbook', 'writing'],
    template: 'plus',
  },
  {
    name: 'incident_response',
    title: 'Respond to an incident',
    description:
      'A runbook for the first hour of an outage: stop the harm, find the change, tell people, keep a record.',
    arguments: [
      required('what', 'What is wrong, as it was reported'),
      optional('service', 'The service that it is about'),
    ],
    messages: [
      user(`Lead me through an incident{{#if service}} of {{service}}{{/if}}: {{what}}

Go through the steps below with me, one at a time. At each step say what to look at and the exact command or query where you know it; wait for what I found before you go on. Keep a timeline with the times I give you. Tell facts from guesses. Nothing that cannot be undone happens without my yes.`),
    ],
    steps: [
      step(
        'Confirm and judge',
        'Is it real, who is affected, since when, is it getting worse? Give it a severity. One person leads; say who.',
      ),
      step(
        'Tell people',
        'One sentence to the team and, if users notice, to the status page: what is affected, that we are on it, when the next word comes.',
      ),
      step(
        'Look at what changed',
        'Deployments, configuration, flags, certificates, quotas, traffic and suppliers in the hours before it began.',
      ),
      step(
        'Stop the harm first',
        'Roll back, switch off, fail over or shed load: the quickest thing that can be undone. The cause may wait.',
      ),
      step(
        'Check that it helped',
        'Watch what users feel, not only the graph that raised the alarm, for at least ten minutes.',
      ),
      step(
        'Find the cause',
        'One guess at a time, each with a check that could prove it wrong. Write down also what it was not.',
      ),
      step(
        'Mend and clear up',
        'Undo the emergency measures in order. Look for data that was lost, doubled or left half done.',
      ),
      step(
        'Close',
        'Tell people that it is over. Write the timeline, the cause, what went well, what was luck, and the few changes that would have prevented or shortened it, each with a name.',
      ),
    ],
    tags: ['runbook', 'operations'],
    template: 'plus',
  },
  {
    name: 'improve_prompt',
    title: 'Improve a prompt',
    description: 'Makes a prompt clearer and easier to reuse: goal, context, output and arguments, with test inputs.',
    arguments: [
      optional('problem', 'What goes wrong with it today'),
      required('prompt', 'The prompt, or its name in the library'),
    ],
    messages: [
      user(`Improve the prompt below so that it gives good answers every time and can be kept in a library.

{{#if problem}}
What goes wrong today: {{problem}}
{{/if}}

1. **Read it as a model would.** What is it for? Which words can be taken in two ways? What does it demand that contradicts something else, and what does it leave to luck?
2. **Rewrite it.** Say the goal first, then what must be known, then how to go about it, then the form of the answer, and last the material. Say what to do rather than what to avoid, and give a reason where a rule looks odd. Give one example only where words are not enough. Say what to do when something is missing. Drop flattery, threats and repetition: each sentence must change the answer.
3. **Make it reusable.** Turn what differs from use to use into arguments, names in double braces: few of them, with telling names, optional wherever there is a good default, free text last. Nothing secret or personal stays in the text.
4. **Test it.** Give three inputs: a usual one, an awkward one and one that should be refused or asked back about. Say what a good answer to each looks like, and try them if you can.

Answer with the new prompt ready to save (name in small letters with underscores, title, one-sentence description, arguments, tags, text), then the list of what you changed and why. Keep the author's language and tone.

The prompt:

{{prompt}}`),
    ],
    tags: ['writing', 'writing/prompts'],
    template: 'plus',
  },
]

function user(text: string): Prompt['messages'][number] {
  return { role: 'user', content: { type: 'text', text } }
}

function step(title: string, text: string): PromptStep {
  return { title, text }
}

function required(name: string, description: string): PromptArgument {
  return { name, description, required: true }
}

function optional(name: string, description: string, examples?: readonly string[]): PromptArgument {
  return { name, description, required: false, ...(examples === undefined ? {} : { examples }) }
}
