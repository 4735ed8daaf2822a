import { type Problem, problem } from '../../error/problem.ts'
import type { QueryParameterEntry } from '../../http/query-string.ts'
import { acceptParameter, type QueryParameter, refuseParameter } from '../query-parameter.ts'
import type { PolicyLimits, RouterLimits } from '../router-limits.ts'
import type { Page } from '../selection.ts'
import { describePage } from './describe-page.ts'
import { unknownPageMember } from './parameter-statements.ts'
import { readInteger, readPageSize } from './read-page-size.ts'

const pageMembers = ['size', 'number', 'after', 'before', 'limit', 'offset'] as const
type Member = (typeof pageMembers)[number]

/** Pages by number, by offset and limit, or by cursor. */
const pageStyles: readonly {
  readonly kind: Exclude<Page['kind'], 'none'>
  readonly members: readonly Member[]
}[] = [
  { kind: 'number', members: ['number', 'size'] },
  { kind: 'offset', members: ['offset', 'limit'] },
  { kind: 'cursor', members: ['after', 'before', 'size'] },
]

/**
 * `page[size]` with `page[number]`, or with `page[after]` and `page[before]`; or `page[limit]` with
 * `page[offset]`. Without them, a list is whole, or its first page where the router says so.
 *
 * ```ts
 * const listParameters = [sortParameter(views, view, limits), pageParameter(limits)]
 * ```
 */
export function pageParameter(limits: PolicyLimits): QueryParameter {
  return pageParameterFor('items', limits)
}

/** What messages say of the pages of items, and of groups, which have no cursors. */
const statements = {
  items: {
    combinations: 'number and size, offset and limit, or cursors and size',
    beyond: ' Use cursors (page[after]) to go further.',
  },
  groups: { combinations: 'number and size, or offset and limit', beyond: '' },
} as const

export function pageParameterFor(
  content: keyof typeof statements,
  limits: PolicyLimits,
): QueryParameter {
  const absentPage = pageOfUnpagedLists(limits)
  return {
    baseNames: ['page'],
    describe: () => describePage(limits),
    ...(absentPage && { absent: { page: absentPage } }),
    errors: ['invalid-page', 'page-too-large', 'limit-exceeded', 'invalid-cursor'],
    read: (entries) => {
      const problems: Problem[] = []
      const page = readPage(content, entries, limits, problems)
      return page && problems.length === 0 ? acceptParameter({ page }) : refuseParameter(problems)
    },
  }
}

/** Undefined if lists are whole, however long. */
function pageOfUnpagedLists({ lists, maxItems, defaultPageSize }: PolicyLimits): Page | undefined {
  if (lists === 'paged')
    return Object.freeze({
      kind: 'cursor',
      after: undefined,
      before: undefined,
      size: defaultPageSize,
    })
  return maxItems === undefined ? undefined : Object.freeze({ kind: 'none', maxItems })
}

function readPage(
  content: keyof typeof statements,
  entries: readonly QueryParameterEntry[],
  limits: RouterLimits,
  problems: Problem[],
): Page | undefined {
  const values = new Map<Member, string>()
  for (const { key, path, value } of entries) {
    const member = pageMembers.find((name) => name === path[0])
    if (path.length === 1 && member) values.set(member, value)
    else problems.push(unknownPageMember(key, path, pageMembers))
  }
  const style = pageStyles.find(({ members }) =>
    [...values.keys()].every((member) => members.includes(member)),
  )
  if (!style)
    problems.push(
      problem(
        'invalid-page',
        `${formatMembers(values)} cannot be combined. Use ${statements[content].combinations}.`,
        { parameter: `page[${[...values.keys()].at(-1)}]` },
      ),
    )
  if (!style || problems.length > 0) return undefined
  return toPage(
    statements[content].beyond,
    values.has('number') ? 'number' : style.kind === 'number' ? 'cursor' : style.kind,
    values,
    limits,
    problems,
  )
}

function toPage(
  beyond: string,
  kind: Exclude<Page['kind'], 'none'>,
  values: ReadonlyMap<Member, string>,
  limits: RouterLimits,
  problems: Problem[],
): Page {
  const integer = (member: Member, min: number, max: number, defaultValue: number) =>
    readInteger(`page[${member}]`, values.get(member), { min, max, beyond }, problems) ??
    defaultValue
  // A range between two cursors has all its items, as far as the limit allows (Cursor Pagination
  // profile, range pagination).
  const isRange = values.has('after') && values.has('before')
  const defaultSize = isRange ? limits.maxPageSize : limits.defaultPageSize
  const member = kind === 'offset' ? 'limit' : 'size'
  const size = readPageSize(`page[${member}]`, values.get(member), limits, problems) ?? defaultSize
  switch (kind) {
    case 'number':
      return {
        kind,
        size,
        number: integer('number', 1, Math.floor(limits.maxOffset / Math.max(size, 1)) + 1, 1),
      }
    case 'offset':
      return { kind, size, offset: integer('offset', 0, limits.maxOffset, 0) }
    case 'cursor':
      return { kind, size, after: values.get('after'), before: values.get('before') }
  }
}

function formatMembers(values: ReadonlyMap<Member, string>): string {
  return [...values.keys()].map((member) => `page[${member}]`).join(' and ')
}
