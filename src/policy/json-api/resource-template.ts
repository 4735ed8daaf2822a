import type {
  InverseField,
  ModelDescription,
  OwnedRelation,
  RelationField,
} from '../../model/model-description.ts'
import { isReadable, type ModelView, type ModelViews } from '../../model/model-view.ts'
import { type LinkageKeys, linkageKeys } from '../../stored-item/linkage.ts'

/** A relation with the JSON text around the parts that differ between items: id and linkage. */
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
  /** The URL of the relationship of the item with this path segment. */
  relationshipAddress(segment: string): string
}

/** A model with the JSON text that all of its items share. */
export interface ResourceTemplate {
  readonly urlPrefix: string
  /** `{"type":"books","id":` */
  readonly identifierPrefix: string
  /** `,"links":{"self":"/api/books/` */
  readonly selfLinkPrefix: string
  readonly ownedRelations: readonly RelationTemplate<OwnedRelation>[]
  readonly inverseRelations: readonly RelationTemplate<InverseField>[]
  /** Finds the linkage of owned relations in stored JSON. */
  readonly storedLinkageKeys: LinkageKeys
  /** Wire names of the members that are links to binary resources. */
  readonly resourceNames: readonly string[]
  /** Can values contain links to binary resources? */
  readonly hasLinksInValues: boolean
}

/** The templates of all models by URL prefix. It caches one prefix, which hardly ever changes. */
export function createResourceTemplates(
  views: ModelViews,
): (urlPrefix: string) => ReadonlyMap<ModelDescription, ResourceTemplate> {
  let cachedPrefix: string | undefined
  let templates: ReadonlyMap<ModelDescription, ResourceTemplate> = new Map()
  return (urlPrefix) => {
    if (cachedPrefix !== urlPrefix) {
      cachedPrefix = urlPrefix
      templates = new Map(
        views.all.map((view) => [view.model, createResourceTemplate(view, urlPrefix)]),
      )
    }
    return templates
  }
}

function createResourceTemplate(view: ModelView, urlPrefix: string): ResourceTemplate {
  const { model } = view
  const path = `${urlPrefix}/${model.plural}/`
  const relations = model.relations.filter((relation) => isReadable(view, relation))
  return Object.freeze({
    urlPrefix,
    identifierPrefix: identifierPrefixOf(model),
    selfLinkPrefix: `,"links":{"self":"${path}`,
    ownedRelations: relations
      .filter((field) => field.kind !== 'inverse')
      .map((field) => createRelationTemplate(field, path)),
    inverseRelations: relations
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

/** Registration checks names, so they need no escapes. */
export function identifierPrefixOf({ plural }: ModelDescription): string {
  return `{"type":"${plural}","id":`
}
