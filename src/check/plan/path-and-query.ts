import fc from 'fast-check'
import { isDependentSchema } from '../arbitrary/identifier-value.ts'
import type { ServiceState } from '../arbitrary/service-state.ts'
import { validValue } from '../arbitrary/valid-value.ts'
import type { DescribedOperation, DescribedParameter } from '../described-operation.ts'
import { isRecord } from '../document-node.ts'

/**
 * The path of an operation with values for its parameters: identifiers of items that are there,
 * where any are known.
 */
export function validPath(
  known: ServiceState,
  { method, path, parameters }: DescribedOperation,
): fc.Arbitrary<string> {
  return pathFromTemplate(path, (name, before) => {
    const ids =
      before === undefined
        ? undefined
        : method === 'DELETE'
          ? known.deletableIds(before)
          : known.ids(before)
    if (ids) return fc.constantFrom(...ids).map(encodeText)
    const parameter = parameters.find((one) => one.location === 'path' && one.name === name)
    return validValue(known, parameter?.schema.value).map(
      (value) => encodeText(toText(value)) || 'x',
    )
  })
}

/**
 * @param segment makes what stands for a parameter, encoded, from its name and the literal segment
 * before it
 */
export function pathFromTemplate(
  template: string,
  segment: (name: string, before: string | undefined) => fc.Arbitrary<string>,
): fc.Arbitrary<string> {
  const segments = template.split('/')
  return fc
    .tuple(
      ...segments.map((one, index) => {
        const name = /^\{(.+)\}$/.exec(one)?.[1]
        return name === undefined ? fc.constant(one) : segment(name, segments[index - 1])
      }),
    )
    .map((made) => made.join('/'))
}

/** A query string of at most two of the operation's parameters, with its question mark. */
export function queryString(
  { parameters }: DescribedOperation,
  value: (parameter: DescribedParameter) => fc.Arbitrary<unknown>,
): fc.Arbitrary<string> {
  const all = parameters.filter((one) => one.location === 'query')
  if (all.length === 0) return fc.constant('')
  const entry = fc
    .constantFrom(...all)
    .chain((one) => value(one).map((made) => formatEntry(one, made)))
  return fc.array(entry, { minLength: 1, maxLength: 2 }).map((entries) => `?${entries.join('&')}`)
}

function formatEntry({ name, explode }: DescribedParameter, value: unknown): string {
  if (Array.isArray(value) && explode)
    return value.map((one) => `${encodeText(name)}=${encodeText(toText(one))}`).join('&')
  return `${encodeText(name)}=${encodeText(Array.isArray(value) ? value.map(toText).join(',') : toText(value))}`
}

/**
 * Can any value that fits the schema be expected to be taken? Not where the schema only says «text»
 * and more is meant.
 */
export function hasCompleteSchema({ schema }: DescribedParameter): boolean {
  if (!isRecord(schema.value) || isDependentSchema(schema.value)) return false
  const { type, enum: values, format } = schema.value
  return (
    values !== undefined ||
    format !== undefined ||
    type === 'integer' ||
    type === 'number' ||
    type === 'boolean'
  )
}

export function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Half a surrogate pair cannot be encoded. */
export function encodeText(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString())
}
