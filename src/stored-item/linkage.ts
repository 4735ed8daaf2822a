import type { ModelDescription, OwnedRelation } from '../model/model-description.ts'
import { isShown } from './create-stored-item.ts'
import type { RawItem } from './stored-item.ts'

/**
 * The linkage of an item's own relations, by wire name, read without parsing the item's values. The
 * result also holds the resources and the hash.
 *
 * ```ts
 * linkageOf(item) // { author: 'herbert', genres: ['science-fiction'] }
 * ```
 */
export function linkageOf({
  text,
  relationsOffset,
}: Pick<RawItem, 'text' | 'relationsOffset'>): Readonly<Record<string, unknown>> {
  return text.charCodeAt(relationsOffset) === comma
    ? JSON.parse(`{${text.slice(relationsOffset + 1)}`)
    : {}
}

/**
 * The ids that one relation of the item holds.
 *
 * ```ts
 * for (const relation of book.ownedRelations) console.log(linkedIds(linkageOf(item), relation))
 * ```
 */
export function linkedIds(
  linkage: Readonly<Record<string, unknown>>,
  { wireName }: OwnedRelation,
): readonly string[] {
  return idsIn(linkage[wireName])
}

function idsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value
  return typeof value === 'string' ? [value] : []
}

/**
 * Is the value linkage of such a relation: an id or null, or an array of ids?
 *
 * ```ts
 * book.ownedRelations.filter((field) => !isLinkageValue(field, null)) // the to-many relations
 * ```
 */
export function isLinkageValue({ kind }: OwnedRelation, value: unknown): boolean {
  if (kind === 'toOne') return value === null || typeof value === 'string'
  return Array.isArray(value) && value.every((id) => typeof id === 'string')
}

/** What surrounds the linkage in the texts of a model's items. */
export interface LinkageKeys {
  /** In front of the linkage of each own relation: `,"author":` */
  readonly relationKeys: readonly string[]
  /**
   * What follows the last relation: `,"cover":`, or `,"hash":"`; undefined if the text ends there.
   */
  readonly endKey: string | undefined
}

export function linkageKeys({
  ownedRelations,
  resourceFields,
  hashField,
}: ModelDescription): LinkageKeys {
  const firstResource = resourceFields.find(isShown)
  return Object.freeze({
    relationKeys: ownedRelations.map(({ wireName }) => `,"${wireName}":`),
    endKey: firstResource
      ? `,"${firstResource.wireName}":`
      : hashField && `,"${hashField.wireName}":"`,
  })
}

/**
 * The linkage of each own relation as JSON, in their order, without parsing it. Undefined if only
 * parsing can read it: for ids with escapes, and for texts from before the relations of the model
 * changed. A text without escapes has no quote inside an id, so the key that follows each relation
 * shows whether it was read correctly.
 */
export function rawLinkage(
  { text, relationsOffset }: Pick<RawItem, 'text' | 'relationsOffset'>,
  { relationKeys, endKey }: LinkageKeys,
): readonly string[] | undefined {
  if (text.includes('\\', relationsOffset)) return undefined
  const values: string[] = []
  let offset = relationsOffset
  for (const key of relationKeys) {
    if (!text.startsWith(key, offset)) return undefined
    const start = offset + key.length
    offset = valueEnd(text, start)
    values.push(text.slice(start, offset))
  }
  const endsAsExpected =
    endKey === undefined ? offset === text.length - 1 : text.startsWith(endKey, offset)
  return endsAsExpected ? values : undefined
}

/**
 * Reads the ids that one relation holds of many items of a model, mostly without parsing them.
 *
 * ```ts
 * const authorIdsOf = linkedIdsReader(book, author)
 * ```
 */
export function linkedIdsReader(
  model: ModelDescription,
  relation: OwnedRelation,
): (item: Pick<RawItem, 'text' | 'relationsOffset'>) => readonly string[] {
  const keys = linkageKeys(model)
  // By name, because each router has fields of its own for a model.
  const relationIndex = model.ownedRelations.findIndex(({ name }) => name === relation.name)
  return (item) => {
    const json = rawLinkage(item, keys)?.[relationIndex]
    if (json === undefined) return linkedIds(linkageOf(item), relation)
    return json.charCodeAt(0) === quote ? [json.slice(1, -1)] : idsIn(JSON.parse(json))
  }
}

/** Where the null, string or array of strings ends that begins at `start`. */
function valueEnd(text: string, start: number): number {
  const first = text.charCodeAt(start)
  if (first === quote) return text.indexOf('"', start + 1) + 1
  if (first !== bracket) return start + 'null'.length
  return text.charCodeAt(start + 1) === quote ? text.indexOf('"]', start + 1) + 2 : start + 2
}

const comma = 0x2c
const quote = 0x22
const bracket = 0x5b
