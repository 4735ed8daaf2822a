import { readFileSync } from 'node:fs'
import { formatPointer } from '../../http/json/json-pointer.ts'
import { readJsonText } from '../../http/json/read-json.ts'
import { ApiError } from '../../index.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** A member of a file of data: a list of items, or one item. */
export interface Collection {
  readonly key: string
  readonly kind: 'list' | 'single'
  readonly items: readonly JsonObject[]
}

const expected = 'an object whose members are arrays of objects, such as { "books": [] }'

/**
 * The collections of a JSON file.
 * @throws Error that says what is wrong, and where: a line, or a JSON Pointer
 */
export function readData(file: string): readonly Collection[] {
  const data = parse(file, readFileSync(file, 'utf8').replace(/^\uFEFF/, ''))
  if (!isObject(data)) throw new Error(`${file} must hold ${expected}; got ${kindOf(data)}.`)
  const members = Object.entries(data)
  if (members.length === 0) throw new Error(`${file} must hold ${expected}; it has no members.`)
  const faults: string[] = []
  const collections = members.map(([key, value]) => collectionOf(key, value, faults))
  throwFaults(file, faults)
  return collections
}

/** @throws Error with the first faults, if there are any */
export function throwFaults(file: string, faults: readonly string[]): void {
  if (faults.length === 0) return
  const maxFaults = 10
  const more = faults.length > maxFaults ? [`and ${faults.length - maxFaults} more.`] : []
  throw new Error([`${file} cannot be served:`, ...faults.slice(0, maxFaults), ...more].join('\n'))
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What a value is, in a message. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function collectionOf(key: string, value: unknown, faults: string[]): Collection {
  if (isObject(value)) return { key, kind: 'single', items: [value] }
  const pointer = formatPointer([key])
  if (!Array.isArray(value)) {
    faults.push(`${pointer}: expected an array of objects, or an object; got ${kindOf(value)}.`)
    return { key, kind: 'list', items: [] }
  }
  value.forEach((item, index) => {
    if (!isObject(item))
      faults.push(`${formatPointer([key, index])}: expected an object; got ${kindOf(item)}.`)
  })
  return { key, kind: 'list', items: value.filter(isObject) }
}

/** As strictly as bodies of requests are read, so that no data is lost. */
function parse(file: string, text: string): unknown {
  try {
    return readJsonText(text)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throwFaults(
      file,
      error.problems.map(({ detail, meta, source }) => {
        const place =
          source && 'pointer' in source ? source.pointer : lineOf(text, meta?.['offset'])
        return `${place}: ${detail}`
      }),
    )
  }
}

function lineOf(text: string, offset: unknown): string {
  const lines = text.slice(0, Number(offset ?? 0)).split('\n')
  return `line ${lines.length}, column ${lines.at(-1)!.length + 1}`
}
