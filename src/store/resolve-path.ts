import type {
  InverseField,
  ModelDescription,
  RelationField,
  ToManyField,
  ToOneField,
  ValueField,
} from '../model/model-description.ts'
import { isScalar, type ScalarType, type ValueType } from '../model/value-type.ts'
import { allOf } from '../query/conditions.ts'
import type { Condition, FieldPath } from '../query/query-plan.ts'

/**
 * A relation to one that a path passes through, and what the related item must satisfy (`always`
 * where nothing is asked).
 */
export interface Hop {
  readonly field: ToOneField
  readonly guard: Condition
}

interface ValueLeaf<T extends ValueType = ValueType> {
  readonly kind: 'value'
  readonly field: ValueField
  /** The way into the field's value, where that is a struct. */
  readonly memberPath: readonly string[]
  readonly type: T
}

interface RelationLeaf<F extends RelationField> {
  readonly kind: F['kind']
  readonly field: F
  /**
   * What the item must satisfy for its identifier to be seen; an item that is missing satisfies no
   * guard but `always`.
   */
  readonly guard: Condition
}

interface IdLeaf {
  readonly kind: 'id'
}
interface ToOneLeaf extends RelationLeaf<ToOneField> {}
interface ToManyLeaf extends RelationLeaf<ToManyField> {}
interface InverseLeaf extends RelationLeaf<InverseField> {}
type ArrayOfScalars = { readonly kind: 'array'; readonly items: ScalarType }

/** What a path leads to. */
export type PathLeaf = IdLeaf | ValueLeaf | ToOneLeaf | ToManyLeaf | InverseLeaf
/** What can be compared and sorted by. */
export type ScalarLeaf = IdLeaf | ValueLeaf<ScalarType> | ToOneLeaf
/** What holds members: an array of scalars, or the identifiers of a relation to many. */
export type ManyLeaf = ValueLeaf<ArrayOfScalars> | ToManyLeaf | InverseLeaf

/**
 * A path in terms of the models it passes: through the hops, then to the end, which lies in an item
 * of `model`.
 */
export interface ResolvedPath<End extends PathLeaf = PathLeaf> {
  readonly hops: readonly Hop[]
  readonly model: ModelDescription
  readonly leaf: End
}

/**
 * Follows a path through the models. Stores of every kind share it, so that all know the same
 * paths.
 *
 * ```ts
 * resolvePath(book, pathOf('author.name')) // hops: [author], end: the value field 'name' of the model 'author'
 * ```
 *
 * @throws TypeError naming the path, when no such member exists or the path cannot pass through it.
 */
export function resolvePath(model: ModelDescription, path: FieldPath): ResolvedPath {
  const fail = (reason: string): never => {
    throw new TypeError(
      `The path '${path.names.join('.')}' of the model '${model.name}' ${reason}.`,
    )
  }
  const guardAt = (depth: number): Condition =>
    allOf(
      (path.guards ?? []).filter((guard) => guard.depth === depth).map((guard) => guard.condition),
    )
  const hops: Hop[] = []
  let current = model
  const endingIn = (end: PathLeaf, relations: number): ResolvedPath => {
    checkGuardDepths(path, relations, fail)
    return { hops, model: current, leaf: end }
  }
  for (const [index, name] of path.names.entries()) {
    const depth = index + 1
    const rest = path.names.slice(depth)
    if (name === 'id')
      return rest.length === 0 ? endingIn({ kind: 'id' }, index) : fail('leads into an id')
    const field = current.fieldsByName.get(name)
    if (!field) return fail(`names '${name}', which the model '${current.name}' does not have`)
    if (field.kind === 'hash')
      return fail('leads to a hash, which can be neither compared nor sorted by')
    if (field.kind === 'resource')
      return fail('leads to a binary resource, which can be neither compared nor sorted by')
    if (field.kind === 'value') {
      return endingIn(
        { kind: 'value', field, memberPath: rest, type: memberType(field, rest, fail) },
        index,
      )
    }
    if (rest.length === 0)
      return endingIn({ kind: field.kind, field, guard: guardAt(depth) } as PathLeaf, depth)
    if (field.kind !== 'toOne')
      return fail(`passes through '${name}'; only relations to one can be passed through`)
    hops.push({ field, guard: guardAt(depth) })
    current = field.relatedModel
  }
  return fail('is empty')
}

/**
 * A path to something that can be compared: an id, a scalar value or a relation to one (its
 * identifier).
 * @throws TypeError naming the path, where it leads elsewhere.
 */
export function resolveScalarPath(
  model: ModelDescription,
  path: FieldPath,
): ResolvedPath<ScalarLeaf> {
  const resolved = resolvePath(model, path)
  if (hasScalarLeaf(resolved)) return resolved
  throw new TypeError(
    `The path '${path.names.join('.')}' of the model '${model.name}' leads to ${describeLeaf(resolved.leaf)}, which cannot be compared.`,
  )
}

/**
 * A path to something that holds members: an array of scalars or a relation to many.
 * @throws TypeError naming the path, where it leads elsewhere.
 */
export function resolveManyPath(model: ModelDescription, path: FieldPath): ResolvedPath<ManyLeaf> {
  const resolved = resolvePath(model, path)
  if (hasManyLeaf(resolved)) return resolved
  throw new TypeError(
    `The path '${path.names.join('.')}' of the model '${model.name}' leads to ${describeLeaf(resolved.leaf)}, which holds no members to compare.`,
  )
}

function hasScalarLeaf(path: ResolvedPath): path is ResolvedPath<ScalarLeaf> {
  const { leaf } = path
  return (
    leaf.kind === 'id' || leaf.kind === 'toOne' || (leaf.kind === 'value' && isScalar(leaf.type))
  )
}

function hasManyLeaf(path: ResolvedPath): path is ResolvedPath<ManyLeaf> {
  const { leaf } = path
  if (leaf.kind === 'value') return leaf.type.kind === 'array' && isScalar(leaf.type.items)
  return leaf.kind === 'toMany' || leaf.kind === 'inverse'
}

function memberType(
  field: ValueField,
  members: readonly string[],
  fail: (reason: string) => never,
): ValueType {
  let type = field.type
  for (const member of members) {
    if (type.kind !== 'struct') return fail(`names '${member}' inside a value that has no members`)
    const found = type.members.get(member)
    if (!found) return fail(`names '${member}', which is no member of '${field.name}'`)
    type = found.type
  }
  return type
}

/** A guard that narrows nothing is a mistake that would show what it was meant to hide. */
function checkGuardDepths(
  path: FieldPath,
  relations: number,
  fail: (reason: string) => never,
): void {
  for (const { depth } of path.guards ?? []) {
    if (!Number.isInteger(depth) || depth < 1 || depth > relations) {
      fail(`has a guard at depth ${depth}, where it passes no relation`)
    }
  }
}

function describeLeaf(end: PathLeaf): string {
  if (end.kind === 'value') return `a value of the type '${end.type.kind}'`
  return end.kind === 'id' || end.kind === 'toOne' ? 'a single identifier' : 'a relation to many'
}
