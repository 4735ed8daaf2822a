import { STATUS_CODES } from 'node:http'
import { toPascalCase } from '../model/naming.ts'
import { operations } from '../rule/operations.ts'
import type { Rule } from '../rule/rule.ts'
import type { ComponentRegistry } from './component-registry.ts'
import type { Reference, ResponseObject } from './document.ts'

/** A response as one operation has it. */
export interface WrittenResponse {
  readonly rule: Rule
  readonly status: number
  readonly response: ResponseObject
}

/**
 * Puts what several operations answer alike on the shelf, under the name of the status; where
 * operations differ in what they answer with it, with the first operation that answers so.
 */
export function shareResponses(
  all: readonly WrittenResponse[],
  shelf: ComponentRegistry,
): Map<WrittenResponse, Reference> {
  const references = new Map<WrittenResponse, Reference>()
  const names = new Set<string>()
  const textOf = createTextCache()
  const versions = groupBy(all, ({ response }) => textOf(response))
  for (const [, group] of groupBy([...versions.values()], ([first]) => first.status)) {
    for (const alike of group.sort(([one], [other]) => compareOperations(one, other))) {
      const [first] = alike
      if (alike.length === 1) continue
      const name = responseNameOf(first, group.length > 1, names)
      names.add(name)
      const reference = shelf.response(name, first.response)
      for (const one of alike) references.set(one, reference)
    }
  }
  return references
}

/** What is one value is written once. */
function createTextCache(): (response: ResponseObject) => string {
  const known = new Map<ResponseObject, string>()
  return (response) => {
    const text = known.get(response) ?? JSON.stringify(response)
    known.set(response, text)
    return text
  }
}

function groupBy<T, K>(all: readonly T[], keyOf: (one: T) => K): ReadonlyMap<K, [T, ...T[]]> {
  const groups = new Map<K, [T, ...T[]]>()
  for (const one of all) {
    const group = groups.get(keyOf(one))
    if (group) group.push(one)
    else groups.set(keyOf(one), [one])
  }
  return groups
}

const operationOrder = Object.keys(operations)

/** Within one operation, the order is that of the paths. */
function compareOperations(
  { rule: one }: WrittenResponse,
  { rule: other }: WrittenResponse,
): number {
  return operationOrder.indexOf(one.operation) - operationOrder.indexOf(other.operation)
}

function responseNameOf(
  one: WrittenResponse,
  isOneOfMany: boolean,
  taken: ReadonlySet<string>,
): string {
  const { rule, status } = one
  const phrase = isBytesResponse(one)
    ? bytesResponseName(one)
    : toPascalCase(STATUS_CODES[status] ?? `Status${status}`)
  if (!isOneOfMany) return phrase
  const name = isBytesResponse(one) ? phrase : `${phrase}To${rule.operation}`
  return taken.has(name) ? `${name}On${rule.path.split('/').map(toPascalCase).join('')}` : name
}

/** Is it a binary resource, whole or in part? */
export function isBytesResponse({ rule, status }: WrittenResponse): boolean {
  return status < 300 && rule.operation === 'GetResource'
}

/** `ImageBytes`, `PartOfImagePngBytes`: by the type, or by what the types have in common. */
function bytesResponseName({ status, response: { content = {} } }: WrittenResponse): string {
  const [first = '', ...others] = Object.keys(content)
  const [kind = ''] = first.split('/')
  const common =
    others.length === 0 ? first : others.every((one) => one.startsWith(`${kind}/`)) ? kind : ''
  return `${status === 206 ? 'PartOf' : ''}${common.split(/\W+/).map(toPascalCase).join('')}Bytes`
}
