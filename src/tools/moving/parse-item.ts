import { unknownName } from '../../error/unknown-name.ts'
import {
  findInvalidText,
  idRules,
  isLinkageValue,
  isValidId,
  type ModelDescription,
  mapFieldResources,
  StoredResource,
  withDerivedValues,
} from '../../store/public.ts'
import { findModel, isObject, parseObject } from './file-format.ts'
import type { MovedItem } from './item-source.ts'

/**
 * The item in a line of a file.
 * @param blobKeys where the bytes before the item are, by their hashes
 * @throws Error that says what is wrong
 */
export function parseItem(
  models: readonly ModelDescription[],
  line: Buffer,
  blobKeys: ReadonlyMap<string, string>,
): MovedItem {
  const { model: name, item, joined = false, ...unknown } = parseObject(line)
  const [extra] = Object.keys(unknown)
  if (extra !== undefined || name === undefined)
    throw new Error(
      `Expected an item, with 'model' and 'item'; got ${extra === undefined ? 'no model' : `'${extra}'`}.`,
    )
  const model = findModel(models, name)
  if (!isObject(item)) throw new Error("'item' must be an object.")
  if (typeof joined !== 'boolean') throw new Error("'joined' must be true or false.")
  const { id, ...members } = item
  if (typeof id !== 'string' || !isValidId(id))
    throw new Error(`Expected an id; got ${JSON.stringify(id)}. ${idRules}`)
  const values: { id: string; [name: string]: unknown } = { id }
  for (const [wireName, value] of Object.entries(members)) {
    const field = model.fieldsByWireName.get(wireName)
    if (!field || field.kind === 'hash' || field.kind === 'inverse')
      throw unknownMember(model, wireName)
    if (field.kind === 'toOne' || field.kind === 'toMany') {
      if (!isLinkageValue(field, value))
        throw new Error(
          `'${wireName}' must be ${field.kind === 'toOne' ? 'an id or null' : 'an array of ids'}.`,
        )
      values[field.name] = value
    } else {
      if (findInvalidText(value))
        throw new Error(`'${wireName}' contains a lone surrogate or U+0000.`)
      values[field.name] = mapFieldResources(field, value, (json) =>
        parseResource(wireName, json, blobKeys),
      )
    }
  }
  // A file may be older than the function of the model.
  return { model, values: withDerivedValues(model, values), isJoined: joined }
}

function unknownMember(model: ModelDescription, wireName: string): Error {
  const names = [...model.valueFields, ...model.ownedRelations, ...model.resourceFields].map(
    (field) => field.wireName,
  )
  const statement = `Unknown member '${wireName}' of the model '${model.name}'`
  return new Error(unknownName(statement, wireName, names))
}

function parseResource(
  wireName: string,
  json: unknown,
  blobKeys: ReadonlyMap<string, string>,
): StoredResource | null {
  if (json === null) return null
  const { contentType, size, hash, fileName = null } = isObject(json) ? json : {}
  if (
    typeof contentType !== 'string' ||
    !Number.isSafeInteger(size) ||
    typeof hash !== 'string' ||
    (fileName !== null && typeof fileName !== 'string')
  )
    throw new Error(
      `'${wireName}' must have the contentType, size, hash and fileName of a binary resource.`,
    )
  const key = blobKeys.get(hash)
  if (key === undefined) throw new Error(`The bytes of '${wireName}' must stand before the item.`)
  return new StoredResource({ contentType, size: size as number, hash, fileName }, key)
}
