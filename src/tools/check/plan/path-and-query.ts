import fc from 'fast-check'
import { isDependentSchema } from '../arbitrary/identifier-value.ts'
import type { ServiceState } from '../arbitrary/service-state.ts'
import { validValue } from '../arbitrary/valid-value.ts'
import type { DescribedOperation, DescribedParameter } from '../described-operation.ts'
import { isRecord } from '../document-node.ts'

/**
 * The path of an operation with values for its parameters: ids of existing items if there are any.
 */
export function validPath(
  state: ServiceState,
  { method, path, parameters }: DescribedOperation,
): fc.Arbitrary<string> {
  return pathFromTemplate(path, (name, previousSegment) => {
    const ids =
      previousSegment === undefined
        ? undefined
        : method === 'DELETE'
          ? state.deletableIds(previousSegment)
          : state.ids(previousSegment)
    if (ids) return fc.constantFrom(...ids).map(encodeText)
    const parameter = parameters.find((item) => item.location === 'path' && item.name === name)
    return validValue(state, parameter?.schema.value).map(
      (value) => encodeText(toText(value)) || 'x',
    )
  })
}

/** @param segment makes the encoded value of a parameter from its name and the previous segment */
export function pathFromTemplate(
  template: string,
  segment: (name: string, previousSegment: string | undefined) => fc.Arbitrary<string>,
): fc.Arbitrary<string> {
  const segments = template.split('/')
  return fc
    .tuple(
      ...segments.map((text, index) => {
        const name = /^\{(.+)\}$/.exec(text)?.[1]
        return name === undefined ? fc.constant(text) : segment(name, segments[index - 1])
      }),
    )
    .map((values) => values.join('/'))
}

/** A query string with at most two parameters of the operation, with its question mark. */
export function queryString(
  { parameters }: DescribedOperation,
  value: (parameter: DescribedParameter) => fc.Arbitrary<unknown>,
): fc.Arbitrary<string> {
  const queryParameters = parameters.filter(({ location }) => location === 'query')
  if (queryParameters.length === 0) return fc.constant('')
  const entry = fc
    .constantFrom(...queryParameters)
    .chain((parameter) => value(parameter).map((generated) => formatEntry(parameter, generated)))
  return fc.array(entry, { minLength: 1, maxLength: 2 }).map((entries) => `?${entries.join('&')}`)
}

function formatEntry({ name, explode }: DescribedParameter, value: unknown): string {
  if (Array.isArray(value) && explode)
    return value.map((item) => `${encodeText(name)}=${encodeText(toText(item))}`).join('&')
  return `${encodeText(name)}=${encodeText(Array.isArray(value) ? value.map(toText).join(',') : toText(value))}`
}

/**
 * Does the schema describe the parameter completely? Plain strings may have a syntax of their own.
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

/** Replaces lone surrogates, which cannot be encoded. */
export function encodeText(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString())
}
