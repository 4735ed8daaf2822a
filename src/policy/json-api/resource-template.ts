import type {
  InverseField,
  ModelDescription,
  OwnedRelation,
  RelationField,
} from '../../model/model-description.ts'
import { isReadable, type ModelView, type ModelViews } from '../../model/model-view.ts'
import { type LinkageKeys, linkageKeys } from '../../stored-item/linkage.ts'

/**
 * A relation with the texts that stand around what differs from item to item: the item's id, and
 * the linkage.
 */
export interface RelationTemplate<F extends RelationField = RelationField> {
  readonly field: F
  readonly wire: string
  /** `"author":{"links":{"self":"/api/books/` */
  readonly selfLinkPrefix: string
  /** `/relationships/author","related":"/api/books/` */
  readonly relatedLinkPrefix: string
  /** `/author"},"data":{"type":"authors","id":` */
  readonly toOneDataPrefix: string
  /** `/genres"},"data":[{"type":"genres","id":` */
  readonly toManyDataPrefix: string
  /** `{"type":"authors","id":` */
  readonly identifierPrefix: string
  /** `"},{"type":"authors","id":"` */
  readonly identifierSeparator: string
  /** The address of the relationship, by the segment of the item. */
  relationshipAddress(segment: string): string
}

/** A model with all of its texts that no item changes. */
export interface ResourceTemplate {
  readonly urlPrefix: string
  /** `{"type":"books","id":` */
  readonly identifierPrefix: string
  /** `,"links":{"self":"/api/books/` */
  readonly selfLinkPrefix: string
  readonly ownedRelations: readonly RelationTemplate<OwnedRelation>[]
  readonly inverseRelations: readonly RelationTemplate<InverseField>[]
  /** Where the linkage of the owned relations stands in a stored text. */
  readonly storedLinkageKeys: LinkageKeys
  /** Wire names of the members that are links to binary resources. */
  readonly resourceNames: readonly string[]
  /** Do values hold links to binary resources? */
  readonly hasLinksInValues: boolean
}

/** The forms of all models, for addresses that begin with this base; it hardly ever changes. */
export function createResourceTemplates(
  views: ModelViews,
): (base: string) => ReadonlyMap<ModelDescription, ResourceTemplate> {
  let last:
    | { readonly base: string; readonly forms: ReadonlyMap<ModelDescription, ResourceTemplate> }
    | undefined
  return (base) => {
    if (last?.base !== base)
      last = {
        base,
        forms: new Map(views.all.map((view) => [view.model, createResourceTemplate(view, base)])),
      }
    return last.forms
  }
}

function createResourceTemplate(view: ModelView, base: string): ResourceTemplate {
  const { model } = view
  const path = `${base}/${model.plural}/`
  const seen = model.relations.filter((relation) => isReadable(view, relation))
  return Object.freeze({
    urlPrefix: base,
    identifierPrefix: identifierPrefixOf(model),
    selfLinkPrefix: `,"links":{"self":"${path}`,
    ownedRelations: seen
      .filter((field) => field.kind !== 'inverse')
      .map((field) => createRelationTemplate(field, path)),
    inverseRelations: seen
      .filter((field) => field.kind === 'inverse')
      .map((field) => createRelationTemplate(field, path)),
    storedLinkageKeys: linkageKeys(model),
    resourceNames: model.resourceFields
      .filter((field) => isReadable(view, field))
      .map((field) => field.wireName),
    hasLinksInValues: model.valueFields.some((field) => field.nestedResources !== undefined),
  })
}

function createRelationTemplate<F extends RelationField>(
  field: F,
  path: string,
): RelationTemplate<F> {
  const { wireName } = field
  const identifier = identifierPrefixOf(field.relatedModel)
  return Object.freeze({
    field,
    wire: wireName,
    selfLinkPrefix: `"${wireName}":{"links":{"self":"${path}`,
    relatedLinkPrefix: `/relationships/${wireName}","related":"${path}`,
    toOneDataPrefix: `/${wireName}"},"data":${identifier}`,
    toManyDataPrefix: `/${wireName}"},"data":[${identifier}`,
    identifierPrefix: identifier,
    identifierSeparator: `"},${identifier}"`,
    relationshipAddress: (segment: string) => `${path}${segment}/relationships/${wireName}`,
  })
}

/** Names are checked when models are described: they need no escapes. */
export function identifierPrefixOf({ plural }: ModelDescription): string {
  return `{"type":"${plural}","id":`
}
