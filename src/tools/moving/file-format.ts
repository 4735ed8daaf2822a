import { unknownName } from '../../error/unknown-name.ts'
import type { ModelDescription } from '../../store/public.ts'
import type { MovedItem } from './item-source.ts'

/**
 * A file of items has a header, a line for each item, and an end. The bytes of an item's binary
 * resources stand before the item, in chunks:
 *
 *     {"format":"resourcery items","version":1,"models":["author","book"]}
 *     {"model":"author","item":{"id":"herbert","name":"Frank Herbert"}}
 *     {"blob":"9f86…","bytes":"iVBORw0KGgo…"}
 *     {"model":"book","item":{"id":"dune","author":"herbert","cover":{"hash":"9f86…",…}}}
 *     {"end":{"items":{"author":1,"book":1},"sha256":"2c26…"}}
 *
 * Members have their wire names, hidden ones too. `"joined":true` says that the next item has to be
 * written in the same transaction. The hash is that of all lines before the end.
 */
const fileFormat = 'resourcery items'
const fileVersion = 1

/** The bytes in a line, before they are written as Base64; a multiple of 3. */
export const blobChunkBytes = 196_608

export function headerLine(models: readonly ModelDescription[]): string {
  const names = models.map(({ name }) => name)
  return `${JSON.stringify({ format: fileFormat, version: fileVersion, models: names })}\n`
}

export function itemLine({ model, values, isJoined }: MovedItem): string {
  const item: Record<string, unknown> = { id: values.id }
  for (const { name, wireName } of [
    ...model.valueFields,
    ...model.ownedRelations,
    ...model.resourceFields,
  ])
    item[wireName] = values[name]
  return `${JSON.stringify({ model: model.name, item, ...(isJoined && { joined: true }) })}\n`
}

export function blobLine(hash: string, bytes: Buffer): string {
  return `{"blob":"${hash}","bytes":"${bytes.toString('base64')}"}\n`
}

const blobStart = Buffer.from('{"blob":"')
const blobPattern = /^\{"blob":"[0-9a-f]{64}","bytes":"[A-Za-z0-9+/]*={0,2}"\}$/

/** Is it a chunk of a blob? Most bytes of a file are, and they need not be parsed to be skipped. */
export function isBlobLine(line: Buffer): boolean {
  return line.subarray(0, blobStart.length).equals(blobStart)
}

/** @throws Error that says what is wrong */
export function checkBlobLine(line: Buffer): void {
  if (!blobPattern.test(line.toString('latin1')))
    throw new Error("Expected 'blob' with a hash, and 'bytes' in Base64.")
}

/** The hash of the blob whose chunk stands in the line. */
export function blobHashIn(line: Buffer): string {
  return line.toString('latin1', blobStart.length, blobStart.length + 64)
}

/** The bytes of the chunk in the line. */
export function blobBytesIn(line: Buffer): Buffer {
  const start = blobStart.length + 64 + '","bytes":"'.length
  return Buffer.from(line.toString('latin1', start, line.length - '"}'.length), 'base64')
}

const itemStart = Buffer.from('{"model":')
const endStart = Buffer.from('{"end":')

export function isItemLine(line: Buffer): boolean {
  return line.subarray(0, itemStart.length).equals(itemStart)
}

export function isEndLine(line: Buffer): boolean {
  return line.subarray(0, endStart.length).equals(endStart)
}

/** What the end of a file says. */
export interface FileEnd {
  readonly items: Readonly<Record<string, number>>
  readonly sha256: string
}

export function endLine(end: FileEnd): string {
  return `${JSON.stringify({ end })}\n`
}

/** @throws Error that says what is wrong */
export function parseObject(line: Buffer): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(line.toString())
  } catch (error) {
    throw new Error(`Not JSON: ${(error as Error).message}.`)
  }
  if (isObject(value)) return value
  throw new Error('Expected a JSON object.')
}

/**
 * The models of a file in their order.
 * @throws Error that says what is wrong
 */
export function parseHeader(
  line: Buffer,
  models: readonly ModelDescription[],
): readonly ModelDescription[] {
  const { format, version, models: names } = parseObject(line)
  if (format !== fileFormat || !Array.isArray(names))
    throw new Error(`Expected the header of an export, with "format":"${fileFormat}".`)
  if (version !== fileVersion)
    throw new Error(
      `Expected version ${fileVersion} of the format; got ${JSON.stringify(version)}.`,
    )
  return names.map((name) => findModel(models, name))
}

/** @throws Error that says what is wrong */
export function parseEnd(line: Buffer): FileEnd {
  const { end } = parseObject(line)
  if (isObject(end) && isObject(end.items) && typeof end.sha256 === 'string')
    return end as unknown as FileEnd
  throw new Error("'end' must have 'items' and 'sha256'.")
}

export function findModel(models: readonly ModelDescription[], name: unknown): ModelDescription {
  const model = models.find((candidate) => candidate.name === name)
  if (model) return model
  const names = models.map((candidate) => candidate.name)
  throw new Error(unknownName(`Unknown model '${String(name)}'`, String(name), names))
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
