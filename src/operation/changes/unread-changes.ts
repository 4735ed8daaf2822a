import type { Context } from '../../context/context.ts'
import { refusalsOf } from '../../error/refusals.ts'
import type { ChangePosition } from '../../query/change-position.ts'
import { allItemsPlan } from '../../query/query-plan.ts'
import { sinceStart } from '../../rule/selection.ts'
import type { ChangeEntry, ReadChanges } from '../../store/change-log.ts'
import type { StoreCall } from '../../store/store-call.ts'
import type { ChangesInput } from '../operation-input.ts'
import type { ChangeFeed } from './change-feed.ts'
import { decideChanges, type VisibleChange } from './decide-changes.ts'
import { bindingOf, type FollowedList, followedList } from './followed-list.ts'
import { PastStates } from './past-states.ts'

export const unreadChangesErrors = ['invalid-position', 'changes-not-decidable'] as const

const { createApiError, refuse } = refusalsOf(unreadChangesErrors)

/** What follows a position, as its caller sees it. */
type ChangesPart =
  | {
      readonly kind: 'changes'
      /** Those of one transaction stand together. */
      readonly changes: readonly VisibleChange[]
      /** The position after them, in the log. */
      readonly next: string
      readonly isEnd: boolean
    }
  /** Nobody can tell what changed: the list has to be read again, and then what follows `next`. */
  | { readonly kind: 'reset'; readonly next: string }
  /** The log no longer has what follows the position. */
  | { readonly kind: 'expired' }

/** The changes of a list, which are read while they are sent. */
export interface UnreadChanges {
  readonly feed: ChangeFeed
  /** Where the client begins, in the log; undefined for the first change that is kept. */
  readonly start: string | undefined
  /** Does the client have to read the list again before it begins? */
  readonly isReset: boolean
  /**
   * The same for all who see and ask for the same; undefined where that depends on the request or
   * on the time.
   */
  readonly sharedKey: string | undefined
  /** How long a stream of them may last, in milliseconds. */
  readonly lastsMs: number
  read(after: string | undefined): Promise<ChangesPart>
  /**
   * The same, maybe without what has not arrived yet, for those who wait for it.
   * @param limit at most so many changes of the log, or one transaction
   */
  readArrived(after: string | undefined, limit?: number): Promise<ChangesPart>
  seal(logged: string): string
}

/** So many changes of the log are read at once. */
export const entriesPerRead = 500

/** No transaction of a request changes more items, unless a limit of the router says so. */
const maxEntriesTogether = 15_000

/** Who is further behind reads the list again, where related items decide about it. */
const maxFollowing = 15_000

/** @throws ApiError for a position of another list or caller */
export async function changesOf(input: ChangesInput): Promise<UnreadChanges> {
  const { feed, view, context, clientCondition } = input
  const list = followedList(input, input.plan.condition)
  refuseUndecidable(input, list)
  const binding = bindingOf(view.model.name, clientCondition, context.caller)
  const since = openPosition(input, binding)
  const nowMs = context.now.getTime()
  const sinceMs = since?.timeMs ?? nowMs
  const hasMoved = await hasMovedSince(input, list, since)
  return {
    feed,
    start:
      input.since === sinceStart
        ? undefined
        : ((hasMoved ? undefined : since?.logged) ?? (await feed.end())),
    isReset: hasMoved,
    sharedKey: list.dependsOnTime || input.isMapped ? undefined : `${binding}${list.rights}`,
    lastsMs: Math.min(
      feed.connectionMs,
      // Time moves items that nobody changes; each new stream looks for them.
      list.dependsOnTime ? feed.heartbeatMs : feed.connectionMs,
      (context.credentialExpiresMs ?? Number.POSITIVE_INFINITY) - Date.now(),
    ),
    read: (after) =>
      readPart(input, list, sinceMs, () =>
        readTransactions((...page) => feed.read(...page), after, entriesPerRead),
      ),
    readArrived: (after, limit = entriesPerRead) =>
      readPart(input, list, sinceMs, () =>
        readTransactions((...page) => feed.readArrived(...page), after, limit),
      ),
    seal: (logged) => feed.positions.seal({ logged, binding, rights: list.rights, timeMs: nowMs }),
  }
}

function openPosition(input: ChangesInput, binding: string): ChangePosition | undefined {
  const { feed, since } = input
  if (since === undefined || since === sinceStart) return undefined
  const position = feed.positions.open(since)
  if (position?.binding === binding) return position
  throw invalidPosition(input)
}

function invalidPosition({ sinceSource }: ChangesInput) {
  return createApiError(
    'invalid-position',
    "Invalid position. Use 'next' of these changes or 'Changes-Position' of the same list, with the same filter and caller; or 'start'.",
    sinceSource,
  )
}

/** What other models decide can be told only where their changes are in the log. */
function refuseUndecidable(
  { feed, plan }: ChangesInput,
  { model, dependencies }: FollowedList,
): void {
  const unknown = dependencies.models.find(({ name }) => !feed.isLogged(name))
  if (unknown)
    throw refuse(
      'changes-not-decidable',
      `Which items of '${model.plural}' are in the list depends on '${unknown.plural}', whose changes are not logged. Filter by members of the items themselves, or read the list again.`,
      { parameter: 'filter' },
    )
  const { limit, kind } = plan.pageRange
  if (kind !== 'offset' || limit !== Number.POSITIVE_INFINITY)
    throw refuse(
      'changes-not-decidable',
      'The service shows a part of this list only, whose changes cannot be decided. Read the list again.',
    )
}

/** Do other rules hold since then, or has the time moved items that did not change? */
async function hasMovedSince(
  { reader, context }: ChangesInput,
  list: FollowedList,
  since: ChangePosition | undefined,
): Promise<boolean> {
  if (!since) return false
  if (since.rights !== list.rights) return true
  const condition = list.changedByTime(since.timeMs)
  if (!condition) return false
  const pageRange = { kind: 'offset', offset: 0, limit: 1 } as const
  const { entries } = await reader.page(
    list.model,
    { ...allItemsPlan, condition, pageRange },
    context,
  )
  return entries.length > 0
}

async function readPart(
  input: ChangesInput,
  list: FollowedList,
  sinceMs: number,
  readNext: () => Promise<ReadChanges>,
): Promise<ChangesPart> {
  const { feed, reader, context } = input
  const read = await readNext()
  if (read.kind === 'unknown') throw invalidPosition(input)
  if (read.kind === 'expired') return read
  const { entries, next, isEnd } = read
  const reset = async (): Promise<ChangesPart> => ({ kind: 'reset', next: await feed.end() })
  const { model, dependencies } = list
  const matters = (entry: ChangeEntry) =>
    entry.model === model.name || dependencies.decidedBy(entry).length > 0
  if (!entries.some(matters)) return { kind: 'changes', changes: [], next, isEnd }
  const isErased = (entry: ChangeEntry) => entry.kind === 'erased' && matters(entry)
  // The client reads the list again, so what happened until now is of no use.
  if (entries.some(isErased)) return reset()
  const call = callToPrimary(context)
  const past = new PastStates({
    reader,
    call,
    entries,
    async readFollowing() {
      const following = await feed.readCommitted(next, maxFollowing)
      const isKnown = following.kind === 'changes' && following.isEnd
      return isKnown && !following.entries.some(isErased) ? following.entries : undefined
    },
  })
  const changes = await decideChanges(list, entries, sinceMs, past, call)
  return changes ? { kind: 'changes', changes, next, isEnd } : reset()
}

/** A replica may be behind the log, and states before it cannot be found. */
function callToPrimary({ signal, client, caller, now, state }: Context): StoreCall {
  return { signal, client, caller, now, state }
}

/** Reads whole transactions, as far as they are not too large. */
async function readTransactions(
  readPage: ChangeFeed['read'],
  after: string | undefined,
  limit: number,
): Promise<ReadChanges> {
  const read = await readPage(after, limit)
  if (read.kind !== 'changes' || read.isEnd) return read
  const last = read.entries.at(-1)?.transaction
  const end = read.entries.findLastIndex(({ transaction }) => transaction !== last)
  if (end >= 0)
    return { ...read, entries: read.entries.slice(0, end + 1), next: read.entries[end]!.position }
  let whole = read
  while (!whole.isEnd && whole.entries.length < maxEntriesTogether) {
    const more = await readPage(whole.next, entriesPerRead)
    if (more.kind !== 'changes') return more
    const other = more.entries.findIndex(({ transaction }) => transaction !== last)
    const same = other < 0 ? more.entries : more.entries.slice(0, other)
    whole = {
      ...more,
      entries: [...whole.entries, ...same],
      next: other < 0 ? more.next : (same.at(-1)?.position ?? whole.next),
      isEnd: other < 0 && more.isEnd,
    }
    if (other >= 0) break
  }
  return whole
}
