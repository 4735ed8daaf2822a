import type { ModelView } from '../model/model-view.ts'
import type { Position, QueryPlan } from '../query/query-plan.ts'
import type { CanonicalQuery, Page } from '../rule/selection.ts'
import { needsEncryptedCursors } from './cursor-encryption.ts'
import type { RouterServices } from './router-services.ts'

/** Addresses by relation; null where there is no such page. */
export type PageLinks = Readonly<Record<string, string | null>>

/** The ends of a page, and what lies beyond. */
export interface PageBounds {
  readonly firstPosition: Position | undefined
  readonly lastPosition: Position | undefined
  readonly hasMore: boolean
  readonly total: number | undefined
}

/**
 * The addresses of the pages around this one; null where there is none. `last` only where the total
 * is known. Behind the last page that may be asked for by number or offset, cursors lead on.
 */
export function pageLinks(
  parts: RouterServices,
  view: ModelView,
  address: string,
  { withoutPage }: CanonicalQuery,
  page: Page,
  plan: QueryPlan,
  found: PageBounds,
): PageLinks {
  const start = `${address}?${withoutPage && `${withoutPage}&`}`
  const link: LinkTo = (members) => {
    let href = start
    for (const member in members)
      href += `${href.length > start.length ? '&' : ''}page%5B${member}%5D=${members[member]}`
    return href
  }
  const cursorOf: CursorOf = (position) =>
    position &&
    parts.cursorCodec.encode(plan.sort, position, needsEncryptedCursors(parts, view, plan.sort))
  const around: LinkContext = { bounds: found, maxOffset: parts.limits.maxOffset, link, cursorOf }
  switch (page.kind) {
    case 'number':
      return numberLinks(page, around)
    case 'offset':
      return offsetLinks(page, around)
    default:
      return cursorLinks(page as Extract<Page, { kind: 'cursor' }>, around)
  }
}

type LinkTo = (members: Readonly<Record<string, string | number>>) => string
type CursorOf = (position: Position | undefined) => string | undefined

interface LinkContext {
  readonly bounds: PageBounds
  readonly maxOffset: number
  readonly link: LinkTo
  readonly cursorOf: CursorOf
}

function numberLinks({ number, size }: Extract<Page, { kind: 'number' }>, around: LinkContext) {
  const { bounds, maxOffset, link } = around
  const at = (number: number) =>
    (number - 1) * size <= maxOffset ? link({ number, size }) : undefined
  return {
    first: link({ number: 1, size }),
    prev: number > 1 ? link({ number: number - 1, size }) : null,
    next: bounds.hasMore ? (at(number + 1) ?? nextByCursor(around, size)) : null,
    ...lastLink(bounds, (total) => at(Math.max(1, Math.ceil(total / Math.max(1, size))))),
  }
}

function offsetLinks({ offset, size }: Extract<Page, { kind: 'offset' }>, around: LinkContext) {
  const { bounds, maxOffset, link } = around
  const at = (offset: number) => (offset <= maxOffset ? link({ offset, limit: size }) : undefined)
  return {
    first: link({ offset: 0, limit: size }),
    prev: offset > 0 ? link({ offset: Math.max(0, offset - size), limit: size }) : null,
    next: bounds.hasMore ? (at(offset + size) ?? nextByCursor(around, size)) : null,
    ...lastLink(bounds, (total) =>
      at(Math.max(0, Math.ceil(total / Math.max(1, size)) - 1) * size),
    ),
  }
}

function nextByCursor({ bounds, link, cursorOf }: LinkContext, size: number): string | null {
  const after = cursorOf(bounds.lastPosition)
  return after === undefined ? null : link({ after, size })
}

function lastLink({ total }: PageBounds, at: (total: number) => string | undefined): PageLinks {
  const last = total === undefined ? undefined : at(total)
  return last === undefined ? {} : { last }
}

function cursorLinks(
  { after, before, size }: Extract<Page, { kind: 'cursor' }>,
  { bounds, link, cursorOf }: LinkContext,
) {
  const { hasMore } = bounds
  const last = cursorOf(bounds.lastPosition)
  const backwards = before !== undefined && after === undefined
  const hasPrev = backwards ? hasMore : after !== undefined
  const first = hasPrev ? cursorOf(bounds.firstPosition) : undefined
  const hasNext = backwards ? true : hasMore || before !== undefined
  return {
    first: link({ size }),
    prev: first ? link({ before: first, size }) : null,
    next: hasNext && last ? link({ after: last, size }) : null,
  }
}
