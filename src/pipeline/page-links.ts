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

/**
 * The addresses of the pages around this one; null where there is none. `last` only where the total is known. Behind the last page that may be asked for
 * by number or offset, cursors lead on.
 */
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
  const cursorOf: CursorOf = (position) =>
    position && parts.cursors.write(plan.sort, position, needsSeal(parts, view, plan.sort))
  const around: Around = { found, maxOffset: parts.limits.maxOffset, link, cursorOf }
  switch (page.kind) {
    case 'number':
      return numbered(page, around)
    case 'offset':
      return shifted(page, around)
    default:
      return byCursor(page as Extract<Page, { kind: 'cursor' }>, around)
  }
}

type LinkTo = (members: Readonly<Record<string, string | number>>) => string
type CursorOf = (position: Position | undefined) => string | undefined

interface Around {
  readonly found: FoundPage
  readonly maxOffset: number
  readonly link: LinkTo
  readonly cursorOf: CursorOf
}

function numbered({ number, size }: Extract<Page, { kind: 'number' }>, around: Around) {
  const { found, maxOffset, link } = around
  const at = (number: number) => ((number - 1) * size <= maxOffset ? link({ number, size }) : undefined)
  return {
    first: link({ number: 1, size }),
    prev: number > 1 ? link({ number: number - 1, size }) : null,
    next: found.more ? (at(number + 1) ?? onward(around, size)) : null,
    ...lastAt(found, (total) => at(Math.max(1, Math.ceil(total / Math.max(1, size))))),
  }
}

function shifted({ offset, size }: Extract<Page, { kind: 'offset' }>, around: Around) {
  const { found, maxOffset, link } = around
  const at = (offset: number) => (offset <= maxOffset ? link({ offset, limit: size }) : undefined)
  return {
    first: link({ offset: 0, limit: size }),
    prev: offset > 0 ? link({ offset: Math.max(0, offset - size), limit: size }) : null,
    next: found.more ? (at(offset + size) ?? onward(around, size)) : null,
    ...lastAt(found, (total) => at(Math.max(0, Math.ceil(total / Math.max(1, size)) - 1) * size)),
  }
}

function onward({ found, link, cursorOf }: Around, size: number): string | null {
  const after = cursorOf(found.last)
  return after === undefined ? null : link({ after, size })
}

function lastAt({ total }: FoundPage, at: (total: number) => string | undefined): PageLinks {
  const last = total === undefined ? undefined : at(total)
  return last === undefined ? {} : { last }
}

function byCursor({ after, before, size }: Extract<Page, { kind: 'cursor' }>, { found, link, cursorOf }: Around) {
  const { more } = found
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
