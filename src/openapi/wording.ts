import type { ModelDescription } from '../model/description.ts'
import { canBeHeldBack } from '../model/held-back.ts'
import { capitalized, inWords, oneInWords } from '../model/naming.ts'
import { isAlwaysRefused } from '../rule/always-refused.ts'
import type { ModelOperation } from '../rule/operations.ts'
import type { ModelRule, Rule } from '../rule/rule.ts'

interface Wording {
  /** In the imperative. */
  readonly summary: string
  readonly description: string
}

/** What each operation does, in words. */
const wordings: Readonly<Record<ModelOperation, (rule: ModelRule) => Wording>> = {
  GetList: ({ view: { model } }) => ({
    summary: `List ${many(model)}`,
    description: 'All of them, streamed, unless a page is asked for.',
  }),
  CreateItem: ({ view: { model } }) => ({
    summary: `Create ${one(model)}`,
    description: 'The answer is the stored item; `Location` says where it is.',
  }),
  GetItem: ({ view: { model } }) => ({
    summary: `Get ${one(model)}`,
    description: 'With `If-None-Match`, only where it has changed.',
  }),
  UpdateItem: ({ view: { model } }) => ({
    summary: `Update ${one(model)}`,
    description: 'What is not sent stays as it is, and null removes (RFC 7396).',
  }),
  ReplaceItem: ({ view: { model } }) => ({
    summary: `Replace ${one(model)}`,
    description: 'What is not sent is gone, but for what clients cannot see.',
  }),
  DeleteItem: ({ view: { model } }) => ({
    summary: `Delete ${one(model)}`,
    description: whatFollows(model),
  }),
  ItemMethodApiOperation: actionWording,
  ItemApiOperation: actionWording,
  GetResource: (rule) => ({
    summary: variantOf(rule) ?? `Get the ${resourceOf(rule)} of ${one(rule.view.model)}`,
    description: variantOf(rule)
      ? `The ${resourceOf(rule)} of ${one(rule.view.model)}, no wider and no higher than that.`
      : 'Its bytes, or those of a range.',
  }),
  SetResource: (rule) => ({
    summary: `Set the ${resourceOf(rule)} of ${one(rule.view.model)}`,
    description: 'Takes the bytes as they are, or as the part of a form. The answer is the changed item.',
  }),
  DeleteResource: (rule) => ({
    summary: `Delete the ${resourceOf(rule)} of ${one(rule.view.model)}`,
    description: 'The item stays, without it.',
  }),
  RelatedGet: (rule) => ({
    summary: `${isToOne(rule) ? 'Get' : 'List'} the ${relationOf(rule)} of ${owner(rule)}`,
    description: 'The related items themselves.',
  }),
  RelationshipGet: (rule) => ({
    summary: `Get the ${isToOne(rule) ? 'id' : 'ids'} of the ${relationOf(rule)} of ${owner(rule)}`,
    description: 'The identifiers of the related items.',
  }),
  RelationshipPost: (rule) => ({
    summary: `Add to the ${relationOf(rule)} of ${owner(rule)}`,
    description: isToOne(rule) ? replacedAlone : 'What is there already is not added again.',
  }),
  RelationshipPatch: (rule) => ({
    summary: `Set the ${relationOf(rule)} of ${owner(rule)}`,
    description: isAlwaysRefused(rule)
      ? neverReplaced
      : `Replaces the whole relationship; ${isToOne(rule) ? 'null' : 'an empty array'} clears it.`,
  }),
  RelationshipDelete: (rule) => ({
    summary: `Remove from the ${relationOf(rule)} of ${owner(rule)}`,
    description: isToOne(rule) ? replacedAlone : 'What is not there is passed over.',
  }),
}

function actionWording({ view, action }: ModelRule): Wording {
  const words = inWords(action?.name ?? '')
  return {
    summary: `${capitalized(words)} ${one(view.model)}`,
    description: 'Done in one step: nobody else changes the item meanwhile.',
  }
}

/** What happens to items that relate to one that is deleted. */
function whatFollows(model: ModelDescription): string {
  const { inbound } = model
  const ends = new Set(inbound.map(({ relation }) => (relation.kind === 'toOne' ? relation.onDelete : 'set-null')))
  if (ends.size === 0) return 'No other item relates to it.'
  const owned = inbound.filter(({ relation }) => relation.kind === 'toOne' && relation.onDelete === 'cascade')
  const unlessHeld = owned.some(({ from }) => canBeHeldBack(from)) ? ', unless others hold them back (409)' : ''
  const told = [
    ...(ends.has('restrict') ? ['items that cannot be without it hold it back (409)'] : []),
    ...(ends.has('cascade') ? [`items that belong to it are deleted too${unlessHeld}`] : []),
    ...(ends.has('set-null') ? ['other items that relate to it no longer do'] : []),
  ]
  return `${capitalized(told.join('; '))}.`
}

const neverReplaced = 'Always refused (403): the relation is added to with POST, and taken from with DELETE.'
const replacedAlone = 'Always refused (403): a relation to one item is replaced, or cleared, with PATCH.'

function resourceOf({ resource }: ModelRule): string {
  return resource!.slot.way
    .filter((step) => step !== '*')
    .map(inWords)
    .join(' ')
}

/** The forms of an image stand together, so that each needs to say only which it is. */
function variantOf({ resource }: ModelRule): string | undefined {
  const variant = resource?.variant
  return variant && `As ${variant.format.toUpperCase()}, ${variant.size} px`
}

const ofBatches: Wording = {
  summary: 'Do several operations in one request',
  description: 'They happen in their order, all of them or none.',
}

/** The summary, which fits a line, and the description of an operation. */
export function wordingOf(rule: Rule): Wording {
  const { summary, description } = rule.operation === 'Batch' ? ofBatches : wordings[rule.operation](rule)
  return { summary: fitted(summary), description }
}

const longest = 60

function fitted(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`
}

function one({ name }: ModelDescription): string {
  return oneInWords(name)
}

function many({ plural }: ModelDescription): string {
  return inWords(plural)
}

function owner({ through, view }: ModelRule): string {
  return one((through?.view ?? view).model)
}

function relationOf({ through }: ModelRule): string {
  return inWords(through?.relation.wire ?? '')
}

function isToOne({ through }: ModelRule): boolean {
  return through?.relation.kind === 'toOne'
}
