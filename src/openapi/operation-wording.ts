import { canBeRestricted } from '../model/delete-restrictions.ts'
import { immutabilityText } from '../model/immutability-text.ts'
import {
  type FieldDescription,
  fieldsOfRange,
  type ModelDescription,
  type ToOneField,
  type UniqueSet,
  type ValueField,
} from '../model/model-description.ts'
import { isReadable, type ModelView } from '../model/model-view.ts'
import { toWords, toWordsWithArticle } from '../model/naming.ts'
import type { ModelOperation } from '../rule/operations.ts'
import { isModelRule, type OperationRule, pathView, type Rule, type RuleOf } from '../rule/rule.ts'
import { isShown } from '../stored-item/create-stored-item.ts'
import { capitalize, countOf, joinWords } from '../text/message-text.ts'

interface Wording {
  /** In the imperative. */
  readonly summary: string
  readonly description: string
}

/** Says what a list without `page` is, unless it is whole, however long. */
function describeUnpagedList({ parameters }: Pick<Rule, 'parameters'>, noun = 'item'): string {
  const page = parameters.find(({ absent }) => absent?.page)?.absent?.page
  if (!page) return ''
  if (page.kind !== 'none')
    return ` Without \`page\`, the response is the first page, with at most ${countOf(page.size, noun)}.`
  return page.maxItems === undefined
    ? ''
    : ` Without \`page\`, the response has all items; a list of more than ${countOf(page.maxItems, 'item')} must be read in pages.`
}

/** Summary and description of each operation: a new one does not compile before it has both. */
const wordings: { readonly [Name in ModelOperation]: (rule: OperationRule<Name>) => Wording } = {
  GetList: (rule) => ({
    summary: `List ${pluralWords(rule.view.model)}`,
    description:
      describeUnpagedList(rule).trim() || 'Streams all items unless the request asks for a page.',
  }),
  GetCapabilities: ({ view: { model } }) => ({
    summary: `Get capabilities for ${pluralWords(model)}`,
    description:
      'What the caller may do, by the access rules: `always`, `never`, or `sometimes` where it depends on the item.',
  }),
  GetChanges: ({ view: { model } }) => ({
    summary: `Get changes of ${pluralWords(model)}`,
    description:
      'What changed in the list with this filter, as the caller may see it: a page, or events while they happen (`Accept: text/event-stream`), for which `Last-Event-ID` says where to go on.',
  }),
  GetGroups: (rule) => ({
    summary: `Group ${pluralWords(rule.view.model)}`,
    description: `What the items of each group add up to. Filters select the items, \`filterGroups\` the groups.${describeUnpagedList(rule, 'group')}`,
  }),
  CreateItem: ({ view }) => ({
    summary: `Create ${singularWords(view.model)}`,
    description: `Responds with the stored item; \`Location\` is its URL.${describeUniqueSets(view)}`,
  }),
  GetItem: ({ view: { model } }) => ({
    summary: `Get ${singularWords(model)}`,
    description: 'With `If-None-Match`, responds with 304 if the item has not changed.',
  }),
  UpdateItem: ({ view }) => ({
    summary: `Update ${singularWords(view.model)}`,
    description: `Members that are not sent are unchanged; null removes a member (RFC 7396).${describeImmutability(view, 'changed')}${describeUniqueSets(view)}`,
  }),
  ReplaceItem: ({ view }) => ({
    summary: `Replace ${singularWords(view.model)}`,
    description: `Members that are not sent are removed, except hidden ones.${describeImmutability(view, 'changed')}${describeUniqueSets(view)}`,
  }),
  DeleteItem: ({ view }) => ({
    summary: `Delete ${singularWords(view.model)}`,
    description: `${describeDeleteEffects(view.model)}${describeImmutability(view, 'deleted')}`,
  }),
  ItemMethodApiOperation: actionWording,
  ItemApiOperation: actionWording,
  GetResource: (rule) => ({
    summary:
      variantWords(rule) ?? `Get the ${resourceWords(rule)} of ${singularWords(rule.view.model)}`,
    description: variantWords(rule)
      ? `The ${resourceWords(rule)} of ${singularWords(rule.view.model)}, scaled to at most this width and height.`
      : 'Responds with all bytes or a byte range.',
  }),
  SetResource: (rule) => ({
    summary: `Set the ${resourceWords(rule)} of ${singularWords(rule.view.model)}`,
    description: `Send the bytes as the body, or as a part of a form. Responds with the changed item.${describeImmutability(rule.view, 'changed', rule.target.path.itemField)}`,
  }),
  DeleteResource: (rule) => ({
    summary: `Delete the ${resourceWords(rule)} of ${singularWords(rule.view.model)}`,
    description: `The item itself stays.${describeImmutability(rule.view, 'changed', rule.target.path.itemField)}`,
  }),
  RelatedGet: (rule) => ({
    summary: `${isToOne(rule) ? 'Get' : 'List'} the ${relationWords(rule)} of ${ownerWords(rule)}`,
    description: `Responds with the related items.${describeUnpagedList(rule)}`,
  }),
  RelationshipGet: (rule) => ({
    summary: `Get the ${isToOne(rule) ? 'id' : 'ids'} of the ${relationWords(rule)} of ${ownerWords(rule)}`,
    description: `Responds with the identifiers of the related items.${describeUnpagedList(rule)}`,
  }),
  RelationshipPost: (rule) => ({
    summary: `Add to the ${relationWords(rule)} of ${ownerWords(rule)}`,
    description: `Ids that the relationship already contains are ignored.${describeFinalRelation(rule)}`,
  }),
  RelationshipPatch: (rule) => ({
    summary: `Set the ${relationWords(rule)} of ${ownerWords(rule)}`,
    description: `Replaces the whole relationship; ${isToOne(rule) ? 'null' : 'an empty array'} clears it.${describeFinalRelation(rule)}`,
  }),
  RelationshipDelete: (rule) => ({
    summary: `Remove from the ${relationWords(rule)} of ${ownerWords(rule)}`,
    description: `Ids that the relationship does not contain are ignored.${describeFinalRelation(rule)}`,
  }),
  GetVersions: ({ view: { model } }) => ({
    summary: `List versions of ${singularWords(model)}`,
    description:
      'Each version is the item after a write, with the time and the caller. The newest one is the current item.',
  }),
  GetVersion: ({ view: { model } }) => ({
    summary: `Get a version of ${singularWords(model)}`,
    description: 'The item after the write with this number.',
  }),
  RestoreVersion: ({ view }) => ({
    summary: `Restore a version of ${singularWords(view.model)}`,
    description: `Replaces the item with the version, as far as the caller may set its members. That makes a new version.${describeImmutability(view, 'changed')}${describeUniqueSets(view)}`,
  }),
  GetTrash: ({ view: { model } }) => ({
    summary: `List deleted ${pluralWords(model)}`,
    description: 'The deleted items, each with the time and the caller, the last deleted first.',
  }),
  GetTrashedItem: ({ view: { model } }) => ({
    summary: `Get ${singularWords(model)} in the trash`,
    description: 'The deleted item, with the time and the caller.',
  }),
  RestoreItem: ({ view }) => ({
    summary: `Restore ${singularWords(view.model)} from the trash`,
    description: `The item gets its id and its values again. Relations to it that were removed stay removed.${describeUniqueSets(view)}`,
  }),
  PurgeItem: ({ view: { model } }) => ({
    summary: `Delete ${singularWords(model)} in the trash for good`,
    description: 'Its versions and its files are deleted too.',
  }),
}

function actionWording({
  view,
  target: { action },
}: RuleOf<'ItemMethodApiOperation' | 'ItemApiOperation'>): Wording {
  const words = toWords(action.name)
  return {
    summary: `${capitalize(words)} ${singularWords(view.model)}`,
    description: 'Runs atomically: no other request changes the item in between.',
  }
}

/**
 * Says which items are immutable.
 * @param field the field that the operation changes, if it is only one
 */
function describeImmutability(
  view: ModelView,
  change: 'changed' | 'deleted',
  field?: FieldDescription,
): string {
  if (field && view.model.immutability?.exceptions.has(field.name)) return ''
  const text = immutabilityText(view, change, ' (409)')
  return text === undefined ? '' : ` ${text}`
}

/** An inverse relation changes the related items. */
function describeFinalRelation(rule: RelationRule): string {
  const { relation } = rule.target
  return relation.kind === 'inverse'
    ? describeImmutability(rule.view, 'changed', relation.inverseOf)
    : describeImmutability(pathView(rule), 'changed', relation)
}

/** Says which values must differ from those of other items. Clients learn of no hidden field. */
function describeUniqueSets(view: ModelView): string {
  const { uniqueSets, uniqueRanges } = view.model
  const isKnown = (fields: readonly (ValueField | ToOneField)[], { where }: UniqueSet) =>
    [...fields, ...where.map(({ field }) => field)].every(
      (field) => isReadable(view, field) && (field.kind === 'toOne' || isShown(field)),
    )
  const namesOf = ({ fields }: UniqueSet) =>
    joinWords(fields.map(({ wireName }) => `\`${wireName}\``))
  return [
    ...uniqueSets
      .filter((set) => isKnown(set.fields, set))
      .map((set) => ` ${noTwoItems(set)} have the same ${namesOf(set)} (409).`),
    ...uniqueRanges
      .filter((range) => isKnown(fieldsOfRange(range), range))
      .map((range) => {
        const { from, to } = range
        return ` ${noTwoItems(range)} with the same ${namesOf(range)} overlap from \`${from.wireName}\` to \`${to.wireName}\`, which is not part of the range (409).`
      }),
  ].join('')
}

function noTwoItems({ where }: UniqueSet): string {
  const conditions = where.map(
    ({ field, value }) => `\`${field.wireName}\` is ${JSON.stringify(value)}`,
  )
  return conditions.length === 0 ? 'No two items' : `No two items whose ${joinWords(conditions)}`
}

/** Says what happens to items that relate to a deleted one. */
function describeDeleteEffects(model: ModelDescription): string {
  const { inboundRelations } = model
  const effects = new Set(
    inboundRelations.map(({ relation }) =>
      relation.kind === 'toOne' ? relation.onDelete : 'set-null',
    ),
  )
  if (effects.size === 0) return 'No other item relates to it.'
  const owned = inboundRelations.filter(
    ({ relation }) => relation.kind === 'toOne' && relation.onDelete === 'cascade',
  )
  const unlessRequired = owned.some(({ owner }) => canBeRestricted(owner))
    ? ', unless other items require them (409)'
    : ''
  const sentences = [
    ...(effects.has('restrict') ? ['refused (409) while other items require it'] : []),
    ...(effects.has('cascade') ? [`items that belong to it are deleted too${unlessRequired}`] : []),
    ...(effects.has('set-null') ? ['references from other items are removed'] : []),
  ]
  return `${capitalize(sentences.join('; '))}.`
}

function resourceWords({
  target,
}: RuleOf<'GetResource' | 'SetResource' | 'DeleteResource'>): string {
  return target.path.segments
    .filter((step) => step !== '*')
    .map(toWords)
    .join(' ')
}

/** The variants of an image are grouped by tag, so the summary only names format and size. */
function variantWords({ target: { variant } }: RuleOf<'GetResource'>): string | undefined {
  return variant && `As ${variant.format.toUpperCase()}, ${variant.size} px`
}

const batchWording: Wording = {
  summary: 'Run several operations in one request',
  description: 'The operations run in order, all or none.',
}

const feedWording: Wording = {
  summary: 'Get changes of several models',
  description:
    'What changed in the lists that `models` names, as their callers see them, in the order of the changes. Each change has the plural of its model as `type`.',
}

/** The summary (one line) and the description of an operation. */
export function wordingOf(rule: Rule): Wording {
  const { summary, description } = isModelRule(rule)
    ? modelWording(rule)
    : rule.operation === 'Batch'
      ? batchWording
      : feedWording
  return { summary: truncateSummary(summary), description }
}

function modelWording<Name extends ModelOperation>(rule: OperationRule<Name>): Wording {
  const wording = wordings[rule.operation](rule)
  return rule.request.kind === 'query' ? queryWording(wording) : wording
}

function queryWording({ summary, description }: Wording): Wording {
  return {
    summary: `${summary} with QUERY`,
    description: `${description} The body has the parameters that the address of GET would have (RFC 10008).`,
  }
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

type RelationRule = RuleOf<
  'RelatedGet' | 'RelationshipGet' | 'RelationshipPost' | 'RelationshipPatch' | 'RelationshipDelete'
>

function ownerWords(rule: RelationRule): string {
  return singularWords(pathView(rule).model)
}

function relationWords({ target }: RelationRule): string {
  return toWords(target.relation.wireName)
}

function isToOne({ target }: RelationRule): boolean {
  return target.relation.kind === 'toOne'
}
