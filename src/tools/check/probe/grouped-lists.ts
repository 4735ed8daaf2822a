import { isDeepStrictEqual } from 'node:util'
import type { DescribedOperation } from '../described-operation.ts'
import { isRecord } from '../document-node.ts'
import { type ViolationKind, violation } from '../expectation/expectation.ts'
import {
  documentIn,
  groupsIn,
  hasNextPage,
  type JsonObject,
  memberOf,
  recordsIn,
} from '../list-documents.ts'
import { listedNames, queryParameterOf } from '../parameter-values.ts'
import { noPlannedBody } from '../plan/planned-body.ts'
import { type PlannedRequest, plannedRequest } from '../plan/planned-request.ts'
import type { VerifiedSend } from '../verified-send.ts'
import { ViolationError } from '../violation-error.ts'

/** A list whose items clients can group. */
export interface GroupedList {
  readonly list: DescribedOperation
  readonly groups: DescribedOperation
}

/** How many keys the check tries, and of how many groups it counts the items. */
const maxKeys = 20
const maxCounted = 3
const maxFunctions = 6

/** Finds lists with `/groups`. */
export function groupedListsIn(operations: readonly DescribedOperation[]): readonly GroupedList[] {
  const readAt = (path: string) =>
    operations.find((operation) => operation.method === 'GET' && operation.path === path)
  return operations.flatMap((groups) => {
    const list = groups.path.endsWith('/groups')
      ? readAt(groups.path.slice(0, -'/groups'.length))
      : undefined
    const isGrouped = groups.method === 'GET' && queryParameterOf(groups, 'groupBy') !== undefined
    return list && isGrouped ? [{ list, groups }] : []
  })
}

/**
 * Groups a list by each of its keys, and compares the groups with the list, its facets, and the
 * items that a filter finds.
 * @throws ViolationError if they differ
 */
export async function compareGroups(
  document: object,
  grouped: GroupedList,
  send: VerifiedSend,
): Promise<void> {
  const names = listedNames(document, grouped.groups, 'groupBy').slice(0, maxKeys)
  const functions = listedNames(document, grouped.list, 'withAggregates')
  const facets = new Set(listedNames(document, grouped.list, 'withFacets'))
  for (const name of names) {
    const isPart = name.includes('(')
    const isOne = isPart || functions.includes(`countDistinct(${name})`)
    const key: Key = { name, isOne, isPart, hasFacet: facets.has(name) }
    await compareKey(grouped, key, functions, send)
  }
}

interface Key {
  readonly name: string
  /** Has each item one value? */
  readonly isOne: boolean
  /** Is it a part of a date? */
  readonly isPart: boolean
  readonly hasFacet: boolean
}

interface Group {
  readonly value: unknown
  readonly count: number
  readonly aggregates: JsonObject
}

async function compareKey(
  { list, groups }: GroupedList,
  key: Key,
  functions: readonly string[],
  send: VerifiedSend,
): Promise<void> {
  const chosen = functions.filter((each) => /^(?:min|max|sum)\(/.test(each)).slice(0, maxFunctions)
  const aggregates = ['count', ...chosen].join(',')
  const whole = readRequest(list, { 'page[size]': '1', withAggregates: aggregates })
  const request = readRequest(groups, { groupBy: key.name, withAggregates: aggregates })
  const before = totalsIn(documentIn(await send(whole)))
  const response = await send(request)
  const document = documentIn(response)
  if (!before || !document || hasNextPage(document, response)) return
  const found = groupsBy(key.name, document)
  const faults = [
    differenceOf(key, before, found),
    ...chosen.map((each) => functionDifference(key, each, before, found)),
  ]
  const facetRequest = readRequest(list, { 'page[size]': '1', withFacets: key.name })
  const facetValues = key.hasFacet ? facetsIn(documentIn(await send(facetRequest)), key.name) : []
  const counted = await wrongCount(list, key, found, send)
  // Another client may have written meanwhile.
  if (!isDeepStrictEqual(before, totalsIn(documentIn(await send(whole))))) return
  const fault = faults.find((each) => each !== undefined) ?? counted?.message
  if (fault !== undefined) refuse('groups-differ', fault, counted?.request ?? request)
  const largest = found.toSorted((one, other) => other.count - one.count)
  const expected = largest
    .slice(0, facetValues.length)
    .map(({ value, count }) => ({ value, count }))
  const isShort = key.hasFacet && facetValues.length === 0 && found.length > 0
  if (isShort || !isDeepStrictEqual(facetValues, expected))
    refuse(
      'facets-differ',
      `The facets of '${key.name}' are ${JSON.stringify(facetValues)}; the largest groups are ${JSON.stringify(isShort ? largest.slice(0, 1) : expected)}.`,
      facetRequest,
    )
}

/** Each item is in one group, or in one for each of its values. */
function differenceOf(
  { name, isOne }: Key,
  totals: JsonObject,
  groups: readonly Group[],
): string | undefined {
  const total = Number(totals.count)
  const sum = groups.reduce((all, { count }) => all + count, 0)
  if (isOne ? sum !== total : sum < total)
    return `The groups by '${name}' have ${sum} items; the list has ${total}.`
  const tooLarge = groups.find(({ count }) => count > total || count < 1)
  return (
    tooLarge &&
    `A group by '${name}' has ${tooLarge.count} items; the list has ${total} altogether.`
  )
}

function functionDifference(
  { name, isOne }: Key,
  label: string,
  totals: JsonObject,
  groups: readonly Group[],
): string | undefined {
  const total = totals[label] ?? null
  const values = groups.map(({ aggregates }) => aggregates[label] ?? null)
  const statement = `'${label}' of the list is ${JSON.stringify(total)}; its groups by '${name}' have ${JSON.stringify(values.slice(0, 10))}.`
  if (!label.startsWith('sum('))
    return values.includes(total) || total === null ? undefined : statement
  // Sums that JSON rounds need not add up.
  const isExact = isOne && [total, ...values].every(Number.isSafeInteger)
  const sum = values.reduce<number>((all, value) => all + Number(value), 0)
  return isExact && sum !== total ? statement : undefined
}

/** The first group whose items a filter counts otherwise. */
async function wrongCount(
  list: DescribedOperation,
  key: Key,
  groups: readonly Group[],
  send: VerifiedSend,
): Promise<{ readonly message: string; readonly request: PlannedRequest } | undefined> {
  if (key.isPart || !queryParameterOf(list, `filter[${key.name}]`)) return undefined
  for (const { value, count } of groups.slice(0, maxCounted)) {
    const filter = filterFor(key, value)
    if (!filter) continue
    const request = readRequest(list, { 'page[size]': '1', withAggregates: 'count', ...filter })
    const totals = totalsIn(documentIn(await send(request)))
    if (totals && totals.count !== count)
      return {
        message: `The group with the value ${JSON.stringify(value)} of '${key.name}' has ${count} items; a filter finds ${totals.count}.`,
        request,
      }
  }
  return undefined
}

const maxFilterLength = 200

function filterFor(
  { name, isOne }: Key,
  value: unknown,
): Readonly<Record<string, string>> | undefined {
  if (value === null) return isOne ? { [`filter[${name}][isNull]`]: 'true' } : undefined
  const text = String(value)
  // A comma stands between values, and a number of JavaScript may have lost digits.
  const isUsable = text !== '' && text.length <= maxFilterLength && !text.includes(',')
  if (!isUsable || (typeof value === 'number' && !Number.isSafeInteger(value))) return undefined
  return { [isOne ? `filter[${name}]` : `filter[${name}][any]`]: text }
}

function totalsIn(document: JsonObject | undefined): JsonObject | undefined {
  const aggregates = memberOf(document, 'aggregates')
  return isRecord(aggregates) ? aggregates : undefined
}

function groupsBy(name: string, document: JsonObject): readonly Group[] {
  return groupsIn(document).map(({ by, aggregates }) => ({
    value: by[name],
    count: Number(aggregates.count),
    aggregates,
  }))
}

function facetsIn(document: JsonObject | undefined, name: string): readonly object[] {
  const facets = memberOf(document, 'facets')
  return isRecord(facets) ? recordsIn(facets[name]) : []
}

function refuse(kind: ViolationKind, message: string, request: PlannedRequest): never {
  throw new ViolationError(violation(kind, message), request)
}

function readRequest(
  operation: DescribedOperation,
  query: Readonly<Record<string, string>>,
): PlannedRequest {
  const target = `${operation.path}?${new URLSearchParams(query)}`
  return plannedRequest(operation, target, noPlannedBody, 'anyDocumentedResponse')
}
