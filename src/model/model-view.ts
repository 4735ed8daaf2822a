import type { JsonSchema } from '../schema/json-schema.ts'
import type { ActionDescription, FieldDescription, ModelDescription } from './model-description.ts'

/** A member that a mapper adds to what is sent. */
export interface AddedMember {
  readonly schema: JsonSchema
  readonly isRequired: boolean
}

/**
 * What one router shows of a model: two routers over one store may show it differently, through
 * their mappers and middleware.
 */
export interface ModelView {
  readonly model: ModelDescription
  /** Members that mappers add to what is sent, by wire name. */
  readonly addedMembers: ReadonlyMap<string, AddedMember>
  /** Wire names that mappers leave out of what is sent. */
  readonly hiddenNames: ReadonlySet<string>
  /** Which of those clients may write all the same. */
  readonly writableHiddenNames: ReadonlySet<string>
  /** Which of those clients may filter and sort by all the same. */
  readonly filterableHiddenNames: ReadonlySet<string>
  /** The actions of its class, and those registered on the router. */
  readonly actions: readonly ActionDescription[]
  /**
   * Does middleware hide some of its items from some callers? What relates to such an item then
   * looks as if it related to none.
   */
  readonly isGuarded: boolean
  /** Where the router is mounted. */
  readonly basePath: string
  /**
   * Does middleware narrow which of its items, or of those that change with them, may be written?
   */
  readonly hasWriteGuards: boolean
  /** Do writes to an existing item need `If-Match`? */
  readonly requiresIfMatch: boolean
}

/** Every model of a router, as that router shows it. */
export interface ModelViews {
  readonly all: readonly ModelView[]
  /**
   * Where the router serves its OpenAPI document, below its mount path; undefined where it does
   * not.
   */
  readonly documentPath: string | undefined
  of(model: ModelDescription): ModelView
}

export function createModelViews(
  all: readonly ModelView[],
  describedAt: string | undefined,
): ModelViews {
  const byModel = new Map(all.map((view) => [view.model, view]))
  return Object.freeze({
    all,
    documentPath: describedAt,
    of: (model: ModelDescription) => byModel.get(model)!,
  })
}

/** The field that is sent under this name, if there is one. */
export function readableField(view: ModelView, wire: string): FieldDescription | undefined {
  const field = view.model.fieldsByWireName.get(wire)
  return field && isReadable(view, field) ? field : undefined
}

export function isReadable(view: ModelView, field: FieldDescription): boolean {
  if (view.hiddenNames.has(field.wireName)) return false
  if (field.kind !== 'value' && field.kind !== 'resource') return true
  return field.visibility !== 'hidden' && field.visibility !== 'writeOnly'
}

/** The field that a client may know of when it writes: hidden ones do not exist for it. */
export function writableField(view: ModelView, wire: string): FieldDescription | undefined {
  const field = view.model.fieldsByWireName.get(wire)
  return field && isWritable(view, field) ? field : undefined
}

/**
 * May clients know of it when they write? What the service keeps itself is passed over, what is
 * hidden does not exist.
 */
export function isWritable(view: ModelView, field: FieldDescription): boolean {
  if (view.hiddenNames.has(field.wireName) && !view.writableHiddenNames.has(field.wireName))
    return false
  return (field.kind !== 'value' && field.kind !== 'resource') || field.visibility !== 'hidden'
}

/** May clients filter and sort by it, as far as its kind allows? */
export function isFilterable(view: ModelView, field: FieldDescription): boolean {
  return view.filterableHiddenNames.has(field.wireName) || isReadable(view, field)
}

/** The wire names of all that clients may filter and sort by, as far as their kinds allow. */
export function filterableNames(view: ModelView): readonly string[] {
  return [
    'id',
    ...view.model.fields
      .filter((field) => isFilterable(view, field))
      .map((field) => field.wireName),
  ]
}

/** The wire names of all that is sent of an item, in order. */
export function readableNames(view: ModelView): readonly string[] {
  const own = view.model.fields
    .filter((field) => isReadable(view, field))
    .map((field) => field.wireName)
  return ['id', ...withAddedNames(view, own)]
}

/** The names of these fields, and of what mappers add to them. */
export function withAddedNames(
  { addedMembers }: ModelView,
  own: readonly string[],
): readonly string[] {
  return [...own, ...[...addedMembers.keys()].filter((name) => !own.includes(name))]
}
