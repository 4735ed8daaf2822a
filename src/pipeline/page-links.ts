import type { ModelView } from '../model/model-view.ts'
import type { Position, QueryPlan } from '../query/query-plan.ts'
import type { Page, Spelled } from '../rule/selection.ts'
import type { Parts } from './parts.ts'
import { needsSeal } from './seals.ts'

/** Addresses by relation; null where there is no such page. */
export type PageLinks = Readonly<Record<string, string | null>>

/** The ends of a page, and what lies beyond. */
export interface FoundPage {
  readonly first: Position | undefined
  readonly last: Position | undefined
  readonly more: boolean
  readonly total: number | undefined
}

/** The addresses of the pages around this one; null where there is none. `last` only where the total is known. */
export function pageLinks(
  parts: Parts,
  view: ModelView,
  address: string,
  { unpaged }: Spelled,
  page: Page,
  plan: QueryPlan,
  found: FoundPage,
): PageLinks {
  const start = `${address}?${unpaged && `${unpaged}&`}`
  const link: LinkTo = (members) => {
    let href = start
    for (const member in members)
      href += `${href.length > start.length ? '&' : ''}page%5B${member}%5D=${members[member]}`
    return href
  }
  switch (page.kind) {
    case 'number':
      return numbered(page, plan.window.limit, found, link)
    case 'offset':
      return shifted(page, plan.window.limit, found, link)
    default:
      return byCursor(parts, view, page as Extract<Page, { kind: 'cursor' }>, plan, found, link)
  }
}

type LinkTo = (members: Readonly<Record<string, string | number>>) => string

/** Middleware may hold pages smaller than the client asked for (`limit`): the next one begins where this one ended. */
function numbered(
  { number, size }: Extract<Page, { kind: 'number' }>,
  limit: number,
  { more, total }: FoundPage,
  link: LinkTo,
) {
  const at = (number: number) => link({ number, size })
  return {
    first: at(1),
    prev: number > 1 ? at(number - 1) : null,
    next: more ? at(number + 1) : null,
    ...(total !== undefined && { last: at(Math.max(1, Math.ceil(total / Math.max(1, limit)))) }),
  }
}

function shifted(
  { offset, size }: Extract<Page, { kind: 'offset' }>,
  limit: number,
  { more, total }: FoundPage,
  link: LinkTo,
) {
  const at = (offset: number) => link({ offset, limit: size })
  return {
    first: at(0),
    prev: offset > 0 ? at(Math.max(0, offset - limit)) : null,
    next: more ? at(offset + limit) : null,
    ...(total !== undefined && { last: at(Math.max(0, Math.ceil(total / Math.max(1, limit)) - 1) * limit) }),
  }
}

function byCursor(
  parts: Parts,
  view: ModelView,
  { after, before, size }: Extract<Page, { kind: 'cursor' }>,
  plan: QueryPlan,
  found: FoundPage,
  link: LinkTo,
) {
  const sealed = needsSeal(parts, view, plan.sort)
  const { more } = found
  const cursorOf = (position: Position | undefined) => position && parts.cursors.write(plan.sort, position, sealed)
  const last = cursorOf(found.last)
  const backwards = before !== undefined && after === undefined
  const hasPrev = backwards ? more : after !== undefined
  const first = hasPrev ? cursorOf(found.first) : undefined
  const hasNext = backwards ? true : more || before !== undefined
  return {
    first: link({ size }),
    prev: first ? link({ before: first, size }) : null,
    next: hasNext && last ? link({ after: last, size }) : null,
  }
}
