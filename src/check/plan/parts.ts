import fc from 'fast-check'
import { dependsOnOthers } from '../arbitrary/identifier-value.ts'
import type { Known } from '../arbitrary/known.ts'
import { validValue } from '../arbitrary/valid-value.ts'
import type { DescribedOperation, DescribedParameter } from '../described-operation.ts'
import { isObject } from '../node-at.ts'

/** The path of an operation with values for its parameters: identifiers of items that are there, where any are known. */
export function validPath(known: Known, { method, path, parameters }: DescribedOperation): fc.Arbitrary<string> {
  return pathOf(path, (name, before) => {
    const ids = before === undefined ? undefined : method === 'DELETE' ? known.spare(before) : known.ids(before)
    if (ids) return fc.constantFrom(...ids).map(encoded)
    const parameter = parameters.find((one) => one.place === 'path' && one.name === name)
    return validValue(known, parameter?.schema.value).map((value) => encoded(textOf(value)) || 'x')
  })
}

/** @param segment makes what stands for a parameter, encoded, from its name and the literal segment before it */
export function pathOf(
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
export function queryOf(
  { parameters }: DescribedOperation,
  value: (parameter: DescribedParameter) => fc.Arbitrary<unknown>,
): fc.Arbitrary<string> {
  const all = parameters.filter((one) => one.place === 'query')
  if (all.length === 0) return fc.constant('')
  const entry = fc.constantFrom(...all).chain((one) => value(one).map((made) => entryOf(one, made)))
  return fc.array(entry, { minLength: 1, maxLength: 2 }).map((entries) => `?${entries.join('&')}`)
}

function entryOf({ name, explode }: DescribedParameter, value: unknown): string {
  if (Array.isArray(value) && explode) return value.map((one) => `${encoded(name)}=${encoded(textOf(one))}`).join('&')
  return `${encoded(name)}=${encoded(Array.isArray(value) ? value.map(textOf).join(',') : textOf(value))}`
}

/** Can any value that fits the schema be expected to be taken? Not where the schema only says «text» and more is meant. */
export function saysAll({ schema }: DescribedParameter): boolean {
  if (!isObject(schema.value) || dependsOnOthers(schema.value)) return false
  const { type, enum: values, format } = schema.value
  return values !== undefined || format !== undefined || type === 'integer' || type === 'number' || type === 'boolean'
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Half a surrogate pair cannot be encoded. */
export function encoded(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString())
}
