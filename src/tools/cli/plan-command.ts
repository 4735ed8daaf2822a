import { planRouters } from '../../index.ts'
import type { PlanStep } from '../../store/public.ts'
import { aboutSeconds } from '../../text/message-text.ts'
import { importRouters } from '../import-routers.ts'
import { type Command, command } from './command.ts'
import { expectPositionals } from './parse-arguments.ts'

/** `resourcery plan`: what a start would do to the tables. */
export const planCommand: Command = command({
  name: 'plan',
  synopsis: 'plan <module>',
  summary: 'prints what a start would do to the tables, and does none of it',
  usage: `resourcery plan <module>

Prints what a start would do to the tables of the stores, or why it would refuse. Expects a module
that exports a router. Nothing is changed.
Says how long a start would take, if it is more than a moment: an estimate from the number of items.
Exits with 2 if a start would refuse, or if it cannot plan.

  --sql      prints the statements too, with what is left to the start as comments
  --check    exits with 1 if there is anything to do, for CI
`,
  options: { sql: { type: 'boolean' }, check: { type: 'boolean' } },
  run: async ({ values, positionals }) => {
    const [file] = expectPositionals(positionals, ['one module'])
    const steps = await plannedSteps(file)
    console.log(planText(steps, values.sql === true))
    const notes = [...startNotes(steps), ...(values.sql ? scriptNote(steps) : [])]
    for (const note of notes) console.log(`${values.sql ? '-- ' : ''}${note}`)
    if (isRefused(steps)) return 2
    const isDone = steps.every(({ kind }) => kind === 'never')
    return values.check && !isDone ? 1 : 0
  },
})

/** What a start means for those who wait for it; nothing where it would refuse. */
export function startNotes(steps: readonly PlanStep[]): readonly string[] {
  return isRefused(steps) ? [] : [...durationNote(steps), ...oldProcessesNote(steps)]
}

function isRefused(steps: readonly PlanStep[]): boolean {
  return steps.some(({ kind }) => kind === 'refused')
}

async function plannedSteps(file: string): Promise<readonly PlanStep[]> {
  const routers = await importRouters(file)
  try {
    const steps = await planRouters(routers)
    if (!steps) throw new Error(`A store of ${file} has no tables to plan.`)
    return steps
  } finally {
    for (const router of routers) await router.close()
  }
}

/** How long a start takes, and what the estimate assumes. */
export function durationNote(steps: readonly PlanStep[]): readonly string[] {
  const seconds = startSeconds(steps)
  if (seconds < 1) return []
  return [
    `A start takes ${aboutSeconds(seconds)} with items of a few hundred bytes, on two cores that have nothing else to do, and as much longer as functions of 'backfill' take. A loaded machine can take several times as long.`,
  ]
}

/** When processes of the old version end, and how long the new ones need from there on. */
function oldProcessesNote(steps: readonly PlanStep[]): readonly string[] {
  const first = steps.findIndex((step) => step.kind !== 'refused' && step.endsOldProcesses)
  if (first === -1) return []
  const seconds = startSeconds(steps.slice(first))
  const time = seconds < 1 ? 'less than a second' : aboutSeconds(seconds)
  return [
    `Processes of the old version go on until the first step that says 'ends old processes', and respond with 503 from there on. The new ones need ${time} from that step until they listen.`,
  ]
}

/** What the statements of a script do not do. */
function scriptNote(steps: readonly PlanStep[]): readonly string[] {
  return isRefused(steps) || !steps.some(isDoneByStart)
    ? []
    : [
        'No statement does the steps that rewrite items: the next start does them. It also does the steps whose statements are comments because they end old processes, or need the values first.',
      ]
}

/** Does it run code of the service? */
function isDoneByStart(step: PlanStep): boolean {
  return step.kind === 'rewrite' && step.sql.length === 0
}

/**
 * Items that a start reads in a second, as measured with items of a few hundred bytes and 2 cores
 * that had nothing else to do.
 */
const itemsPerSecond = { rewrite: 5_000, online: 500_000 } as const

/** An estimate, from the number of items. */
export function startSeconds(steps: readonly PlanStep[]): number {
  return steps.reduce((seconds, step) => {
    if (step.kind !== 'rewrite' && step.kind !== 'online') return seconds
    return seconds + (step.itemCount ?? 0) / (step.itemsPerSecond ?? itemsPerSecond[step.kind])
  }, 0)
}

const kindTexts: Readonly<Record<PlanStep['kind'], string>> = {
  instant: 'instant',
  online: 'online',
  rewrite: 'rewrites items',
  never: 'never by itself',
  refused: 'refused',
}

/** The steps for people, or as an SQL script with the steps as comments. */
export function planText(steps: readonly PlanStep[], withSql: boolean): string {
  if (steps.length === 0) return withSql ? '-- Nothing to do.' : 'Nothing to do.'
  const hasRewrites = steps.some(isDoneByStart)
  return steps
    .map((step) => (withSql ? sqlText(step, hasRewrites && isLeftToStart(step)) : stepText(step)))
    .join('\n')
}

function stepText(step: PlanStep): string {
  const ends = step.kind !== 'refused' && step.endsOldProcesses ? ', ends old processes' : ''
  return `${kindTexts[step.kind]}${ends}: ${step.summary}`
}

/** Has it to wait until items are rewritten? */
function isLeftToStart(step: PlanStep): boolean {
  if (step.kind === 'refused') return false
  return step.endsOldProcesses === true || step.followsFilling === true
}

/**
 * Nobody shall run by mistake what drops something, or what comes after steps that only a start
 * does.
 */
function sqlText(step: PlanStep, isLeft: boolean): string {
  const comment = commented(stepText(step))
  if (step.sql === undefined || step.sql.length === 0) return comment
  const statements = step.sql.map((statement) => `${statement};`).join('\n')
  const isComment = isLeft || step.kind === 'never'
  return `${comment}\n${isComment ? commented(statements) : statements}`
}

function commented(text: string): string {
  return text.replaceAll(/^/gm, '-- ')
}
