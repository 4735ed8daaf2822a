import { memoizeBy } from '../cache/memoize-by.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import type { ActionDescription } from './action-description.ts'
import type {
  FieldDescription,
  ModelDescription,
  RelationField,
  ValueField,
} from './model-description.ts'
import { isRelation } from './relation-kinds.ts'

/** A member that a mapper adds to responses. */
export interface AddedMember {
  readonly schema: JsonSchema
  readonly isRequired: boolean
}

/** Where responses say what the caller may do. */
export type ShownCapabilities = 'none' | 'models' | 'items'

/**
 * A model as one router shows it. Two routers over one store can have different mappers and
 * middleware.
 */
export interface ModelView {
  readonly model: ModelDescription
  /** Members that mappers add to responses, by wire name. */
  readonly addedMembers: ReadonlyMap<string, AddedMember>
  /** Wire names that mappers remove from responses. */
  readonly hiddenNames: ReadonlySet<string>
  /** The hidden names that clients can write. */
  readonly writableHiddenNames: ReadonlySet<string>
  /** The hidden names that clients can filter and sort by. */
  readonly filterableHiddenNames: ReadonlySet<string>
  /** Wire names of fields that rules hide from some callers: responses lack them, or have null. */
  readonly maskedNames: ReadonlySet<string>
  /** Those of them that do not exist for some callers, whose responses lack them. */
  readonly absentNames: ReadonlySet<string>
  /** Wire names of fields that the rules let these callers read, and set in no item. */
  readonly unsettableNames: ReadonlySet<string>
  /** The actions of its class, and those registered on the router. */
  readonly actions: readonly ActionDescription[]
  /**
   * Do access rules or query hooks hide some items from some callers? Relations to a hidden item
   * then look empty.
   */
  readonly isGuarded: boolean
  /** The mount path of the router. */
  readonly basePath: string
  /** Do access rules or query hooks refuse writes to some of its items? */
  readonly hasWriteGuards: boolean
  /** The operations that rules or query hooks refuse for some items which the caller may see. */
  readonly guardedChanges: ReadonlySet<string>
  /** Do access rules or query hooks of `create` refuse some items as they are written? */
  readonly hasOutcomeGuards: boolean
  /** Do writes to an existing item need `If-Match`? */
  readonly requiresIfMatch: boolean
  /**
   * What responses say of what the caller may do: nothing, at an address of the model, or with
   * each item too.
   */
  readonly capabilities: ShownCapabilities
  /** Can clients follow what changes in its list, at an address of the model? */
  readonly hasChangeFeed: boolean
  /** Ids that no item can have: their addresses are those of something else of the model. */
  readonly reservedIds: ReadonlySet<string>
  /** Is it for code of the service, which may set and send back every field? */
  readonly isForService: boolean
}

/** All models of a router, as that router shows them. */
export interface ModelViews {
  readonly all: readonly ModelView[]
  /** The path of the OpenAPI document, below the mount path; undefined if it is not served. */
  readonly documentPath: string | undefined
  /**
   * The models whose items the callers can neither read nor change. Documents describe no members
   * of theirs.
   */
  readonly closedModels: ReadonlySet<ModelDescription>
  of(model: ModelDescription): ModelView
}

export function createModelViews(
  all: readonly ModelView[],
  documentPath: string | undefined,
  closedModels: ReadonlySet<ModelDescription> = new Set(),
): ModelViews {
  const byModel = new Map(all.map((view) => [view.model, view]))
  return Object.freeze({
    all,
    documentPath,
    closedModels,
    of: (model: ModelDescription) => byModel.get(model)!,
  })
}

/**
 * The views as documents show them to callers to whom these models are closed.
 * @param adapt the view of a model as these callers get it
 */
export function viewsForCallers(
  { all, documentPath }: ModelViews,
  closedModels: ReadonlySet<ModelDescription>,
  adapt: (view: ModelView) => Partial<ModelView>,
): ModelViews {
  // Schemas are kept by the view that they describe.
  const views = all.map((view) => Object.freeze({ ...view, ...adapt(view) }))
  return createModelViews(views, documentPath, closedModels)
}

/**
 * The field that responses have under this wire name.
 *
 * ```ts
 * readableField(view, 'costPrice') // undefined: the field is hidden
 * ```
 */
export function readableField(view: ModelView, wireName: string): FieldDescription | undefined {
  const field = view.model.fieldsByWireName.get(wireName)
  return field && isReadable(view, field) ? field : undefined
}

/**
 * Do responses have the field? Hidden and write-only fields are left out.
 *
 * ```ts
 * const shown = view.model.fields.filter((field) => isReadable(view, field))
 * ```
 */
export function isReadable(view: ModelView, field: FieldDescription): boolean {
  if (view.isForService) return true
  if (view.hiddenNames.has(field.wireName)) return false
  if (field.kind !== 'value' && field.kind !== 'resource') return true
  return field.visibility !== 'hidden' && field.visibility !== 'writeOnly'
}

/** The values of an item, by the names of the model, without those that the view does not show. */
export function readableValues<Values extends object>(view: ModelView, values: Values): Values {
  const unreadable = unreadableNames(view)
  if (unreadable.size === 0) return values
  const shown = Object.entries(values).filter(([name]) => !unreadable.has(name))
  return Object.fromEntries(shown) as Values
}

const unreadableNames = memoizeBy(
  (view: ModelView): ReadonlySet<string> =>
    new Set(view.model.fields.filter((field) => !isReadable(view, field)).map(({ name }) => name)),
)

/**
 * The field that requests may have under this wire name.
 *
 * ```ts
 * if (!writableField(view, 'titel')) refuse('unknown-member', "Unknown member 'titel'.")
 * ```
 */
export function writableField(view: ModelView, wireName: string): FieldDescription | undefined {
  const field = view.model.fieldsByWireName.get(wireName)
  return field && isWritable(view, field) ? field : undefined
}

/**
 * Can a request have the field? A read-only field is ignored there; a hidden one is unknown.
 *
 * ```ts
 * const accepted = view.model.fields.filter((field) => isWritable(view, field))
 * ```
 */
export function isWritable(view: ModelView, field: FieldDescription): boolean {
  if (view.isForService) return true
  if (view.hiddenNames.has(field.wireName) && !view.writableHiddenNames.has(field.wireName))
    return false
  return (field.kind !== 'value' && field.kind !== 'resource') || field.visibility !== 'hidden'
}

/** The fields that a request can set. Others may be sent back as they were received. */
export function settableFields(view: ModelView): readonly (ValueField | RelationField)[] {
  return view.model.fields.filter(
    (field): field is ValueField | RelationField =>
      isWritable(view, field) &&
      !view.unsettableNames.has(field.wireName) &&
      (isRelation(field)
        ? field.kind !== 'toOne' || !field.isReadOnly
        : field.kind === 'value' && field.visibility !== 'readOnly'),
  )
}

/** Can clients see the field in filters and sorts? Its kind may still forbid both. */
export function isFilterable(view: ModelView, field: FieldDescription): boolean {
  return view.filterableHiddenNames.has(field.wireName) || isReadable(view, field)
}

/**
 * The wire names of all members that an item has in responses, in order.
 *
 * ```ts
 * readableNames(view) // ['id', 'title', 'price', …]
 * ```
 */
export function readableNames(view: ModelView): readonly string[] {
  const fieldNames = view.model.fields
    .filter((field) => isReadable(view, field))
    .map((field) => field.wireName)
  return ['id', ...withAddedNames(view, fieldNames)]
}

/** Appends the names of members that mappers add. */
function withAddedNames(
  { addedMembers }: ModelView,
  fieldNames: readonly string[],
): readonly string[] {
  return [...fieldNames, ...[...addedMembers.keys()].filter((name) => !fieldNames.includes(name))]
}
