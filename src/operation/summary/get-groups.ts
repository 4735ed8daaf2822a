import type { ErrorCode } from '../../error/catalog.ts'
import { refusalsOf } from '../../error/refusals.ts'
import type { GroupPlan, ItemGroup } from '../../query/group-plan.ts'
import type { Condition } from '../../query/query-plan.ts'
import type { GroupsSelection, Page } from '../../rule/selection.ts'
import { isUnknownTimeZone } from '../../store/groups/is-unknown-time-zone.ts'
import { countOf } from '../../text/message-text.ts'
import type { GroupsInput, OperationInput } from '../operation-input.ts'
import type { GroupValues, OperationResult, PageOfGroups } from '../operation-result.ts'
import { aggregateTerms } from './aggregate-values.ts'
import { arrangedGroups } from './arranged-groups.ts'
import { visibleCondition, visibleConditionErrors } from './visible-condition.ts'
import { guarded, wholePlan } from './whole-list.ts'

export const getGroupsErrors: readonly ErrorCode[] = [
  'limit-exceeded',
  'invalid-value',
  ...visibleConditionErrors,
]

const { refuse } = refusalsOf(['limit-exceeded', 'invalid-value'])

/** GetGroups: what the items of the list add up to, by the values of some members. */
export async function getGroups(input: GroupsInput): Promise<OperationResult> {
  const condition = await visibleCondition(input, wholePlan(input))
  const groups = await groupsOf(input, condition, input.groups)
  return { kind: 'groups', page: pageOf(groups, input.page, input.withCount) }
}

/**
 * All groups of the items that satisfy the condition. They are few, so filters and sorts apply to
 * them here, the same for every store.
 * @throws ApiError `limit-exceeded`
 */
async function groupsOf(
  input: OperationInput,
  condition: Condition,
  selection: GroupsSelection,
): Promise<readonly GroupValues[]> {
  const { keys, aggregates, maxGroups } = selection
  const plan: GroupPlan = {
    condition,
    by: keys.map(({ name: _, type: __, text: ___, path, ...part }) => ({
      ...part,
      path: guarded(input, path),
    })),
    aggregates: aggregateTerms(aggregates, (path) => guarded(input, path)),
    order: 'keys',
    limit: maxGroups + 1,
  }
  const groups = await storedGroups(input, plan)
  if (groups.length > maxGroups)
    refuse(
      'limit-exceeded',
      `The list has more than ${countOf(maxGroups, 'group')}. Filter it, or group by fewer members.`,
      { parameter: 'groupBy' },
      { meta: { limit: maxGroups } },
    )
  return arrangedGroups(selection, groups)
}

async function storedGroups(
  { store, view }: Pick<OperationInput, 'store' | 'view'>,
  plan: GroupPlan,
): Promise<readonly ItemGroup[]> {
  try {
    return await store.groups(view.model, plan)
  } catch (error) {
    const timeZone = plan.by.find((key) => key.timeZone !== undefined)?.timeZone
    if (timeZone !== undefined && isUnknownTimeZone(error))
      refuse(
        'invalid-value',
        `The database does not know the time zone '${timeZone}'. Choose another name of it.`,
        { parameter: 'timeZone' },
      )
    throw error
  }
}

function pageOf(groups: readonly GroupValues[], page: Page, withCount: boolean): PageOfGroups {
  const [start, end] = boundsOf(page)
  return {
    groups: groups.slice(start, end),
    hasMore: groups.length > end,
    total: withCount ? groups.length : undefined,
  }
}

function boundsOf(page: Page): readonly [start: number, end: number] {
  switch (page.kind) {
    case 'number':
      return [(page.number - 1) * page.size, page.number * page.size]
    case 'offset':
      return [page.offset, page.offset + page.size]
    default:
      return [0, Number.POSITIVE_INFINITY]
  }
}
