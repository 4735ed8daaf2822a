import type { Context } from '../../context/context.ts'
import { refuseAll } from '../../error/api-error.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import type { Problem } from '../../error/problem.ts'
import { refusalsOf } from '../../error/refusals.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { type ChangePosition, digestOf } from '../../query/change-position.ts'
import { sinceStart } from '../../rule/selection.ts'
import type { FeedInput, ListToFollow } from '../operation-input.ts'
import type { ChangeFeed } from './change-feed.ts'
import { bindingOf, type FollowedList, followedList } from './followed-list.ts'
import { hasMovedSince } from './has-moved-since.ts'
import { invalidPosition, invalidPositionErrors } from './invalid-position.ts'
import { type ChangesPart, PartReader, partReaderErrors } from './part-reader.ts'
import { entriesPerRead, readTransactions } from './read-transactions.ts'

const undecidableErrors = ['changes-not-decidable'] as const

export const unreadChangesErrors: readonly ErrorCode[] = [
  ...invalidPositionErrors,
  ...partReaderErrors,
  ...undecidableErrors,
]

const { problem } = refusalsOf(undecidableErrors)

/** The changes of one list or of several, which are read while they are sent. */
export interface UnreadChanges {
  readonly feed: ChangeFeed
  /** Of the request for each list. */
  readonly contexts: ReadonlyMap<ModelDescription, Context>
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
   * @param isWithin whether the position is within a transaction, of which a part is enough
   */
  readArrived(after: string | undefined, limit?: number, isWithin?: boolean): Promise<ChangesPart>
  seal(logged: string): string
}

/** @throws ApiError for a position of other lists or another caller */
export async function changesOf(input: FeedInput): Promise<UnreadChanges> {
  const { feed, context } = input
  const toFollow = [...input.lists].sort(compareModels)
  const lists = toFollow.map((list) => followedList(list, list.plan.condition))
  refuseUndecidable(input, toFollow, lists)
  const binding = jointDigest(
    toFollow.map(({ view, clientCondition }) =>
      bindingOf(view.model.name, clientCondition, context.caller),
    ),
  )
  const rights = jointDigest(lists.map((list) => list.rights))
  const since = openPosition(input, binding)
  const nowMs = context.now.getTime()
  const hasMoved =
    since !== undefined &&
    (since.rights !== rights || (await hasMovedSince(input, lists, since.timeMs)))
  const dependsOnTime = lists.some((list) => list.dependsOnTime)
  // Who begins with the first change knows no item by any time.
  const beforeMs = input.since === sinceStart ? 0 : since?.timeMs
  const knownMs = dependsOnTime && !hasMoved ? beforeMs : undefined
  const reader = new PartReader(input, toFollow, lists, knownMs ?? nowMs)
  const isMapped = toFollow.some((list) => list.isMapped)
  return {
    feed,
    contexts: reader.contexts,
    start:
      input.since === sinceStart
        ? undefined
        : ((hasMoved ? undefined : since?.logged) ?? (await feed.end())),
    isReset: hasMoved,
    sharedKey: dependsOnTime || isMapped ? undefined : `${binding}${rights}`,
    lastsMs: Math.min(
      feed.connectionMs,
      // Time moves items that nobody changes; each new stream looks for them.
      dependsOnTime ? feed.heartbeatMs : feed.connectionMs,
      (context.credentialExpiresMs ?? Number.POSITIVE_INFINITY) - Date.now(),
    ),
    read: (after) =>
      reader.read(after, () =>
        readTransactions((...page) => feed.read(...page), after, entriesPerRead, false),
      ),
    readArrived: (after, limit = entriesPerRead, isWithin = false) =>
      reader.read(after, () =>
        readTransactions((...page) => feed.readArrived(...page), after, limit, isWithin),
      ),
    seal: (logged) =>
      feed.positions.seal({ logged, binding, rights, timeMs: reader.timeMsAt(logged) }),
  }
}

/** So that a position does not depend on the order in which a client names the models. */
function compareModels({ view: one }: ListToFollow, { view: other }: ListToFollow): number {
  return one.model.name < other.model.name ? -1 : 1
}

/** One list has its own, so that a position of it is one of all that the client follows. */
function jointDigest(digests: readonly string[]): string {
  return digests.length === 1 ? digests[0]! : digestOf(digests.join('\n'))
}

function openPosition(input: FeedInput, binding: string): ChangePosition | undefined {
  const { feed, since } = input
  if (since === undefined || since === sinceStart) return undefined
  const position = feed.positions.open(since)
  if (position?.binding === binding) return position
  throw invalidPosition(input)
}

/** What other models decide can be told only where their changes are in the log. */
function refuseUndecidable(
  { feed, listSource }: FeedInput,
  toFollow: readonly ListToFollow[],
  lists: readonly FollowedList[],
): void {
  const problems: Problem[] = []
  for (const [index, { model, dependencies }] of lists.entries()) {
    const unknown = dependencies.models.find(({ name }) => !feed.isLogged(name))
    if (unknown)
      problems.push(
        problem(
          'changes-not-decidable',
          `Which items of '${model.plural}' are in the list depends on '${unknown.plural}', whose changes are not logged. Filter by members of the items themselves, or read the list again.`,
          listSource,
        ),
      )
    const { limit, kind } = toFollow[index]!.plan.pageRange
    if (kind !== 'offset' || limit !== Number.POSITIVE_INFINITY)
      problems.push(
        problem(
          'changes-not-decidable',
          `The service shows a part of the list of '${model.plural}' only, whose changes cannot be decided. Read the list again.`,
        ),
      )
  }
  refuseAll(problems)
}
