import { toPascalCase } from '../model/naming.ts'
import { operations } from '../rule/operations.ts'
import type { Rule } from '../rule/rule.ts'
import type { ComponentRegistry } from './component-registry.ts'
import type { Reference, ResponseObject } from './document.ts'

/** A response of one operation. */
export interface WrittenResponse {
  readonly rule: Rule
  readonly status: number
  readonly response: ResponseObject
}

/**
 * Turns responses that several operations share into components. Operations refer to responses more
 * often than to anything else, so the names are short: the status, or what bytes they are, and a
 * number if operations have different responses of the name, in the order of operations.
 */
export function shareResponses(
  all: readonly WrittenResponse[],
  components: ComponentRegistry,
): Map<WrittenResponse, Reference> {
  const references = new Map<WrittenResponse, Reference>()
  const names = new Set<string>()
  const textOf = createTextCache()
  const versions = groupBy(all, ({ response }) => textOf(response))
  const shared = [...versions.values()].filter(({ length }) => length > 1)
  for (const [status, group] of groupBy(shared, ([first]) => first.status)) {
    for (const same of group.sort(([one], [other]) => compareOperations(one, other))) {
      const [first] = same
      const phrase = isBytesResponse(first) ? bytesResponseName(first) : `R${status}`
      const name = unusedName(phrase, names)
      names.add(name)
      const reference = components.response(name, first.response)
      for (const written of same) references.set(written, reference)
    }
  }
  return references
}

/** Serializes each value once. */
function createTextCache(): (response: ResponseObject) => string {
  const cache = new Map<ResponseObject, string>()
  return (response) => {
    const text = cache.get(response) ?? JSON.stringify(response)
    cache.set(response, text)
    return text
  }
}

function groupBy<T, K>(values: readonly T[], keyOf: (value: T) => K): ReadonlyMap<K, [T, ...T[]]> {
  const groups = new Map<K, [T, ...T[]]>()
  for (const value of values) {
    const group = groups.get(keyOf(value))
    if (group) group.push(value)
    else groups.set(keyOf(value), [value])
  }
  return groups
}

const operationOrder = Object.keys(operations)

/** Sorts by operation; equal operations keep the order of their paths. */
function compareOperations(
  { rule: one }: WrittenResponse,
  { rule: other }: WrittenResponse,
): number {
  return operationOrder.indexOf(one.operation) - operationOrder.indexOf(other.operation)
}

function unusedName(phrase: string, usedNames: ReadonlySet<string>): string {
  let name = phrase
  for (let count = 2; usedNames.has(name); count++) name = `${phrase}_${count}`
  return name
}

/** Is the body a binary resource or a byte range of one? */
export function isBytesResponse({ rule, status }: WrittenResponse): boolean {
  return status < 300 && rule.response.content === 'resource'
}

/** For example `ImageBytes` or `PartOfImagePngBytes`: the type, or what all types share. */
function bytesResponseName({ status, response: { content = {} } }: WrittenResponse): string {
  const [first = '', ...others] = Object.keys(content)
  const [kind = ''] = first.split('/')
  const common =
    others.length === 0 ? first : others.every((type) => type.startsWith(`${kind}/`)) ? kind : ''
  return `${status === 206 ? 'PartOf' : ''}${common.split(/\W+/).map(toPascalCase).join('')}Bytes`
}
