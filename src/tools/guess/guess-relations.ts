import { formatPointer } from '../../http/json/json-pointer.ts'
import { toMany, toOne } from '../../index.ts'
import { capitalize } from '../../text/message-text.ts'
import { memberName, toCamelCase, withoutId } from '../pull/names.ts'
import { quoted } from '../pull/source-text.ts'
import { textOfId } from './guess-ids.ts'
import type { GuessedMember, GuessedModel } from './guessed-model.ts'

/** Where a relation may lead, by the name of a member. */
interface Candidate {
  readonly kind: 'toOne' | 'toMany'
  readonly target: GuessedModel
  /** The name of the member without what says that it is an id. */
  readonly name: string
}

/**
 * The relation that a member is: `authorId`, or `author` with the id of an author. Undefined for a
 * field.
 * @param values those that items have, with the indexes of the items
 */
export function guessRelation(
  key: string,
  values: readonly { readonly index: number; readonly value: unknown }[],
  model: GuessedModel,
  models: readonly GuessedModel[],
  notes: string[],
): GuessedMember | undefined {
  const candidate = candidateOf(key, models)
  if (!candidate) return undefined
  const { kind, target } = candidate
  const ids = new Set(target.ids)
  let hasId = false
  for (const { index, value } of values) {
    const isOne = kind === 'toOne' && !Array.isArray(value)
    const linkage = isOne ? [value ?? []].flat() : kind === 'toMany' && value
    if (!Array.isArray(linkage)) return undefined
    for (const id of linkage) {
      const text = textOfId(id)
      if (text === undefined) return undefined
      if (!ids.has(text)) {
        const pointer = formatPointer([model.collection.key, index, key])
        notes.push(
          `'${key}' stays a field: ${pointer} names no item of '${target.collection.key}'.`,
        )
        return undefined
      }
      hasId = true
    }
  }
  if (!hasId) return undefined
  const isComplete =
    values.length === model.ids.length && values.every(({ value }) => value !== null)
  return relationMember(key, candidate, isComplete, model)
}

/** The other side of the relations to one item, where its name is free. */
export function addInverses(models: readonly GuessedModel[]): void {
  for (const model of models)
    for (const target of models) {
      const [relation, ...others] = model.members.filter(
        ({ uses, value }) => uses === 'toOne' && relatedName(value) === target.name,
      )
      const taken = target.members.some(({ name }) => name === model.plural)
      if (!relation || others.length > 0 || taken || target === model) continue
      target.members.push({
        name: model.plural,
        text: `toMany(${quoted(model.name)}, { inverse: ${quoted(relation.name)} })`,
        uses: 'toMany',
        value: toMany(model.name, { inverse: relation.name }),
        source: undefined,
      })
    }
}

function relatedName(value: unknown): string {
  return (value as { readonly relatedModelName: string }).relatedModelName
}

function relationMember(
  key: string,
  { kind, target, name: base }: Candidate,
  isComplete: boolean,
  model: GuessedModel,
): GuessedMember {
  const taken = new Set([...model.members.map(({ name }) => name), ...otherKeys(key, model)])
  const name = memberName([base, key], taken)
  const text = quoted(target.name)
  if (kind === 'toMany')
    return {
      name,
      text: `toMany(${text})`,
      uses: 'toMany',
      value: toMany(target.name),
      source: { key, load: (value) => (value as readonly unknown[]).map(textOfId) },
    }
  return {
    name,
    text: isComplete ? `toOne(${text})` : `toOne(${text}, { optional: true })`,
    uses: 'toOne',
    value: isComplete ? toOne(target.name) : toOne(target.name, { optional: true }),
    source: { key, load: (value) => textOfId(value) ?? null },
  }
}

/** The other members of the file, which keep their names. */
function otherKeys(key: string, { collection }: GuessedModel): readonly string[] {
  return collection.items.flatMap((item) => Object.keys(item)).filter((other) => other !== key)
}

function candidateOf(key: string, models: readonly GuessedModel[]): Candidate | undefined {
  const many = /^(.+?)(?:_ids|Ids|IDs)$/.exec(key)?.[1]
  if (many !== undefined) {
    const target = modelNamed(toCamelCase(many), models, true)
    return target && { kind: 'toMany', target, name: target.plural }
  }
  const one = withoutId(key)
  const name = toCamelCase(one)
  const target = modelNamed(name, models, one !== key)
  if (target) return { kind: 'toOne', target, name }
  const ofPlural = models.find(({ plural }) => plural === name)
  return ofPlural && { kind: 'toMany', target: ofPlural, name }
}

/** @param mayEnd whether the name may say more before: `mainAuthor` */
function modelNamed(
  name: string,
  models: readonly GuessedModel[],
  mayEnd: boolean,
): GuessedModel | undefined {
  return (
    models.find((model) => model.name === name) ??
    (mayEnd ? models.find((model) => name.endsWith(capitalize(model.name))) : undefined)
  )
}
