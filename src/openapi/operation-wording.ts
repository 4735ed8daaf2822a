import { canBeRestricted } from '../model/delete-restrictions.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { capitalize, toWords, toWordsWithArticle } from '../model/naming.ts'
import { isAlwaysRefused } from '../rule/always-refused.ts'
import type { ModelOperation } from '../rule/operations.ts'
import { type ModelRule, pathView, type Rule, relationTargetOf } from '../rule/rule.ts'

interface Wording {
  /** In the imperative. */
  readonly summary: string
  readonly description: string
}

/** What each operation does, in words. */
const wordings: Readonly<Record<ModelOperation, (rule: ModelRule) => Wording>> = {
  GetList: ({ view: { model } }) => ({
    summary: `List ${pluralWords(model)}`,
    description: 'All of them, streamed, unless a page is asked for.',
  }),
  CreateItem: ({ view: { model } }) => ({
    summary: `Create ${singularWords(model)}`,
    description: 'The answer is the stored item; `Location` says where it is.',
  }),
  GetItem: ({ view: { model } }) => ({
    summary: `Get ${singularWords(model)}`,
    description: 'With `If-None-Match`, only where it has changed.',
  }),
  UpdateItem: ({ view: { model } }) => ({
    summary: `Update ${singularWords(model)}`,
    description: 'What is not sent stays as it is, and null removes (RFC 7396).',
  }),
  ReplaceItem: ({ view: { model } }) => ({
    summary: `Replace ${singularWords(model)}`,
    description: 'What is not sent is gone, but for what clients cannot see.',
  }),
  DeleteItem: ({ view: { model } }) => ({
    summary: `Delete ${singularWords(model)}`,
    description: describeDeleteEffects(model),
  }),
  ItemMethodApiOperation: actionWording,
  ItemApiOperation: actionWording,
  GetResource: (rule) => ({
    summary:
      variantWords(rule) ?? `Get the ${resourceWords(rule)} of ${singularWords(rule.view.model)}`,
    description: variantWords(rule)
      ? `The ${resourceWords(rule)} of ${singularWords(rule.view.model)}, no wider and no higher than that.`
      : 'Its bytes, or those of a range.',
  }),
  SetResource: (rule) => ({
    summary: `Set the ${resourceWords(rule)} of ${singularWords(rule.view.model)}`,
    description:
      'Takes the bytes as they are, or as the part of a form. The answer is the changed item.',
  }),
  DeleteResource: (rule) => ({
    summary: `Delete the ${resourceWords(rule)} of ${singularWords(rule.view.model)}`,
    description: 'The item stays, without it.',
  }),
  RelatedGet: (rule) => ({
    summary: `${isToOne(rule) ? 'Get' : 'List'} the ${relationWords(rule)} of ${ownerWords(rule)}`,
    description: 'The related items themselves.',
  }),
  RelationshipGet: (rule) => ({
    summary: `Get the ${isToOne(rule) ? 'id' : 'ids'} of the ${relationWords(rule)} of ${ownerWords(rule)}`,
    description: 'The identifiers of the related items.',
  }),
  RelationshipPost: (rule) => ({
    summary: `Add to the ${relationWords(rule)} of ${ownerWords(rule)}`,
    description: isToOne(rule) ? toOneRefusedText : 'What is there already is not added again.',
  }),
  RelationshipPatch: (rule) => ({
    summary: `Set the ${relationWords(rule)} of ${ownerWords(rule)}`,
    description: isAlwaysRefused(rule)
      ? neverReplacedText
      : `Replaces the whole relationship; ${isToOne(rule) ? 'null' : 'an empty array'} clears it.`,
  }),
  RelationshipDelete: (rule) => ({
    summary: `Remove from the ${relationWords(rule)} of ${ownerWords(rule)}`,
    description: isToOne(rule) ? toOneRefusedText : 'What is not there is passed over.',
  }),
}

function actionWording({ view, target }: ModelRule): Wording {
  const words = toWords(target.kind === 'action' ? target.action.name : '')
  return {
    summary: `${capitalize(words)} ${singularWords(view.model)}`,
    description: 'Done in one step: nobody else changes the item meanwhile.',
  }
}

/** What happens to items that relate to one that is deleted. */
function describeDeleteEffects(model: ModelDescription): string {
  const { inboundRelations } = model
  const ends = new Set(
    inboundRelations.map(({ relation }) =>
      relation.kind === 'toOne' ? relation.onDelete : 'set-null',
    ),
  )
  if (ends.size === 0) return 'No other item relates to it.'
  const owned = inboundRelations.filter(
    ({ relation }) => relation.kind === 'toOne' && relation.onDelete === 'cascade',
  )
  const unlessHeld = owned.some(({ owner }) => canBeRestricted(owner))
    ? ', unless others hold them back (409)'
    : ''
  const told = [
    ...(ends.has('restrict') ? ['items that cannot be without it hold it back (409)'] : []),
    ...(ends.has('cascade') ? [`items that belong to it are deleted too${unlessHeld}`] : []),
    ...(ends.has('set-null') ? ['other items that relate to it no longer do'] : []),
  ]
  return `${capitalize(told.join('; '))}.`
}

const neverReplacedText =
  'Always refused (403): the relation is added to with POST, and taken from with DELETE.'
const toOneRefusedText =
  'Always refused (403): a relation to one item is replaced, or cleared, with PATCH.'

function resourceWords({ target }: ModelRule): string {
  const segments = target.kind === 'resource' ? target.path.segments : []
  return segments
    .filter((step) => step !== '*')
    .map(toWords)
    .join(' ')
}

/** The forms of an image stand together, so that each needs to say only which it is. */
function variantWords({ target }: ModelRule): string | undefined {
  const variant = target.kind === 'resource' ? target.variant : undefined
  return variant && `As ${variant.format.toUpperCase()}, ${variant.size} px`
}

const batchWording: Wording = {
  summary: 'Do several operations in one request',
  description: 'They happen in their order, all of them or none.',
}

/** The summary, which fits a line, and the description of an operation. */
export function wordingOf(rule: Rule): Wording {
  const { summary, description } =
    rule.operation === 'Batch' ? batchWording : wordings[rule.operation](rule)
  return { summary: truncateSummary(summary), description }
}

const maxSummaryLength = 60

function truncateSummary(text: string): string {
  return text.length <= maxSummaryLength ? text : `${text.slice(0, maxSummaryLength - 1)}…`
}

function singularWords({ name }: ModelDescription): string {
  return toWordsWithArticle(name)
}

function pluralWords({ plural }: ModelDescription): string {
  return toWords(plural)
}

function ownerWords(rule: ModelRule): string {
  return singularWords(pathView(rule).model)
}

function relationWords(rule: ModelRule): string {
  return toWords(relationTargetOf(rule)?.relation.wireName ?? '')
}

function isToOne(rule: ModelRule): boolean {
  return relationTargetOf(rule)?.relation.kind === 'toOne'
}
