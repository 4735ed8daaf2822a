import type { Finding } from '../finding.ts'
import { enumValues } from '../parameter-values.ts'
import { accessFinding } from './access-finding.ts'
import { type CallerResponse, type CallerView, sendAs } from './caller-view.ts'
import type { ComparedCollection } from './compared-items.ts'
import { filteredMember } from './hidden-item-probes.ts'
import { itemsIn, membersOf } from './item-members.ts'

/** A member of an item that one caller gets, and another one does not. */
interface HiddenMember {
  readonly id: string
  readonly name: string
  readonly value: string | number | boolean
}

/** How many members of a collection and caller the check filters by. */
const maxFilters = 10

/** Filters, sorts and tags must not tell the values of members that a caller does not get. */
export async function findKnownMembers(
  views: readonly CallerView[],
  collection: ComparedCollection,
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const view of views)
    for (const other of views) {
      const hidden = hiddenMembers(view, other, collection)
      findings.push(
        ...tagFindings(view, other, collection, hidden),
        ...(await filterFindings(view, collection, hidden)),
        ...(await sortFindings(view, collection, hidden)),
      )
    }
  return findings
}

function hiddenMembers(
  view: CallerView,
  other: CallerView,
  { items }: ComparedCollection,
): readonly HiddenMember[] {
  return [...items].flatMap(([id, responses]) => {
    const [own, whole] = [responses.get(view)!, responses.get(other)!]
    if (own.status !== 200 || whole.status !== 200) return []
    const members = membersOf(own.json, id)
    return Object.entries(membersOf(whole.json, id)).flatMap(([name, value]) =>
      !Object.hasOwn(members, name) && isScalar(value) ? [{ id, name, value }] : [],
    )
  })
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

function listOf({ operations }: CallerView, { path }: ComparedCollection) {
  return operations.find((each) => each.method === 'GET' && each.path === path)
}

function tagFindings(
  view: CallerView,
  other: CallerView,
  { path, items }: ComparedCollection,
  hidden: readonly HiddenMember[],
): readonly Finding[] {
  const member = hidden.find(({ id }) => {
    const [own, whole] = [items.get(id)!.get(view)!, items.get(id)!.get(other)!]
    return own.headers.etag !== undefined && own.headers.etag === whole.headers.etag
  })
  if (!member) return []
  const message = `'${member.name}' is hidden from this caller, but the ETag is the one of '${other.caller.name}', who sees it, so that it tells when the value changes.`
  const response: CallerResponse = items.get(member.id)!.get(view)!
  return [accessFinding(view, 'hidden-field-known', path, message, response)]
}

async function filterFindings(
  view: CallerView,
  collection: ComparedCollection,
  hidden: readonly HiddenMember[],
): Promise<readonly Finding[]> {
  const operation = listOf(view, collection)
  const findings: Finding[] = []
  for (const { id, name, value } of hidden.slice(0, maxFilters)) {
    const parameter = operation?.parameters.find(
      (each) =>
        each.location === 'query' && each.name !== name && filteredMember(each.name) === name,
    )
    if (!operation || !parameter) continue
    const query = `${encodeURIComponent(parameter.name)}=${encodeURIComponent(String(value))}`
    const response = await sendAs(view, 'GET', `${collection.path}?${query}`)
    if (response.status !== 200 || !itemsIn(response.json).some((item) => item.id === id)) continue
    const message = `'${name}' of '${id}' is hidden from this caller, but a filter finds its value.`
    findings.push(accessFinding(view, 'hidden-field-known', operation.id, message, response))
  }
  return findings
}

/** Items without a value stay in the order of their ids, in both directions of a sort. */
async function sortFindings(
  view: CallerView,
  collection: ComparedCollection,
  hidden: readonly HiddenMember[],
): Promise<readonly Finding[]> {
  const operation = listOf(view, collection)
  const sort = operation?.parameters.find(({ name }) => name === 'sort')
  if (!operation || !sort) return []
  const sortable = new Set(enumValues(view.document, sort.schema))
  const findings: Finding[] = []
  for (const name of new Set(hidden.map((member) => member.name))) {
    if (!sortable.has(name) || !sortable.has(`-${name}`)) continue
    const ids = new Set(hidden.filter((member) => member.name === name).map(({ id }) => id))
    const orderOf = async (key: string) => {
      const response = await sendAs(view, 'GET', `${collection.path}?sort=${key},id`)
      const order = itemsIn(response.json).map(({ id }) => id)
      return { response, order: order.filter((id) => ids.has(id)).join() }
    }
    const [up, down] = [await orderOf(name), await orderOf(`-${name}`)]
    if (up.response.status !== 200 || up.order === down.order) continue
    const message = `'${name}' of ${ids.size} items is hidden from this caller, but a sort puts them in the order of their values.`
    findings.push(accessFinding(view, 'hidden-field-known', operation.id, message, up.response))
  }
  return findings
}
