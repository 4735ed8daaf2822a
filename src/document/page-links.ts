import type { ModelView } from '../model/model-view.ts'
import type { Position, QueryPlan } from '../query/query-plan.ts'
import type { CanonicalQuery, Page } from '../rule/selection.ts'
import { needsEncryptedCursors } from './cursor-encryption.ts'
import type { DocumentServices } from './document-services.ts'

/**
 * Addresses by relation, or their `page` parameters alone; null where that page does not exist.
 */
export type PageLinks = Readonly<Record<string, string | null>>

/** The first and last position of a page, and whether more follows. */
export interface PageBounds {
  readonly firstPosition: Position | undefined
  readonly lastPosition: Position | undefined
  readonly hasMore: boolean
  readonly total: number | undefined
}

/**
 * The addresses of the pages around this one; of a query that is too long for links, the `page`
 * parameters of these pages. `last` needs a total. After the last page that a
 * number or an offset may name, `next` uses a cursor.
 */
export function pageLinks(
  services: DocumentServices,
  view: ModelView,
  address: string,
  query: CanonicalQuery | undefined,
  page: Page,
  plan: QueryPlan,
  bounds: PageBounds,
): PageLinks {
  const prefix = query ? `${address}?${query.withoutPage && `${query.withoutPage}&`}` : ''
  const link: LinkTo = (members) => {
    let href = prefix
    for (const member in members)
      href += `${href.length > prefix.length ? '&' : ''}page%5B${member}%5D=${members[member]}`
    return href
  }
  const cursorOf: CursorOf = (position) =>
    position &&
    services.cursorCodec.encode(
      plan.sort,
      position,
      needsEncryptedCursors(services, view, plan.sort),
    )
  const linkContext: LinkContext = { bounds, maxOffset: services.limits.maxOffset, link, cursorOf }
  switch (page.kind) {
    case 'number':
      return numberLinks(page, linkContext)
    case 'offset':
      return offsetLinks(page, linkContext)
    default:
      return cursorLinks(page as Extract<Page, { kind: 'cursor' }>, linkContext)
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

function numberLinks(
  { number, size }: Extract<Page, { kind: 'number' }>,
  linkContext: LinkContext,
) {
  const { bounds, maxOffset, link } = linkContext
  const linkAt = (number: number) =>
    (number - 1) * size <= maxOffset ? link({ number, size }) : undefined
  return {
    first: link({ number: 1, size }),
    prev: number > 1 ? link({ number: number - 1, size }) : null,
    next: bounds.hasMore ? (linkAt(number + 1) ?? nextByCursor(linkContext, size)) : null,
    ...lastLink(bounds, (total) => linkAt(Math.max(1, Math.ceil(total / Math.max(1, size))))),
  }
}

function offsetLinks(
  { offset, size }: Extract<Page, { kind: 'offset' }>,
  linkContext: LinkContext,
) {
  const { bounds, maxOffset, link } = linkContext
  const linkAt = (offset: number) =>
    offset <= maxOffset ? link({ offset, limit: size }) : undefined
  return {
    first: link({ offset: 0, limit: size }),
    prev: offset > 0 ? link({ offset: Math.max(0, offset - size), limit: size }) : null,
    next: bounds.hasMore ? (linkAt(offset + size) ?? nextByCursor(linkContext, size)) : null,
    ...lastLink(bounds, (total) =>
      linkAt(Math.max(0, Math.ceil(total / Math.max(1, size)) - 1) * size),
    ),
  }
}

function nextByCursor({ bounds, link, cursorOf }: LinkContext, size: number): string | null {
  const after = cursorOf(bounds.lastPosition)
  return after === undefined ? null : link({ after, size })
}

function lastLink({ total }: PageBounds, linkAt: (total: number) => string | undefined): PageLinks {
  const last = total === undefined ? undefined : linkAt(total)
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
