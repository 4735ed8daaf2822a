import { unknownName } from '../error/unknown-name.ts'
import type {
  InverseField,
  ModelDescription,
  RelationField,
  ToManyField,
  ToOneField,
  ValueField,
} from '../model/model-description.ts'
import { isDecimal, isScalar, type ScalarType, type ValueType } from '../model/value-type.ts'
import { allOf, always } from '../query/conditions.ts'
import type { Condition, FieldPath } from '../query/query-plan.ts'

/**
 * A to-one relation that a path passes through, and the guard of the related item (`always` if
 * there is none).
 */
export interface Hop {
  readonly field: ToOneField
  readonly guard: Condition
}

export interface ValueLeaf<T extends ValueType = ValueType> {
  readonly kind: 'value'
  readonly field: ValueField
  /** The path inside the field's value, if that is a struct. */
  readonly memberPath: readonly string[]
  readonly type: T
}

export interface RelationLeaf<F extends RelationField> {
  readonly kind: F['kind']
  readonly field: F
  /**
   * What the related item must satisfy for its id to be visible. A missing item satisfies no guard
   * but `always`.
   */
  readonly guard: Condition
}

export interface IdLeaf {
  readonly kind: 'id'
}
export interface ToOneLeaf extends RelationLeaf<ToOneField> {}
export interface ToManyLeaf extends RelationLeaf<ToManyField> {}
export interface InverseLeaf extends RelationLeaf<InverseField> {}
export type ArrayOfScalars = { readonly kind: 'array'; readonly items: ScalarType }

/** What a path leads to. */
export type PathLeaf = IdLeaf | ValueLeaf | ToOneLeaf | ToManyLeaf | InverseLeaf
/** What conditions can compare and lists can be sorted by. */
export type ScalarLeaf = IdLeaf | ValueLeaf<ScalarType> | ToOneLeaf
/** What holds members: an array of scalars, or the ids of a to-many relation. */
export type ManyLeaf = ValueLeaf<ArrayOfScalars> | ToManyLeaf | InverseLeaf

/** A path in terms of models: through the hops to the leaf, which is in an item of `model`. */
export interface ResolvedPath<Leaf extends PathLeaf = PathLeaf> {
  /**
   * What the item that the path starts from must satisfy (`always` if there is no guard of depth
   * 0). Otherwise the path leads to null, or to no members.
   */
  readonly guard: Condition
  readonly hops: readonly Hop[]
  readonly model: ModelDescription
  readonly leaf: Leaf
}

/** @throws TypeError for decimal numbers, whose texts differ where the numbers are equal */
export function checkSearchable(path: FieldPath, leaf: ScalarLeaf): void {
  if (leaf.kind === 'value' && isDecimal(leaf.type))
    throw new TypeError(
      `'${path.names.join('.')}' is a decimal number, which cannot be searched as text.`,
    )
}

/**
 * Follows a path through the models. All stores use it, so that they accept the same paths.
 *
 * ```ts
 * // hops: [author], leaf: the value field 'name' of the model 'author'
 * resolvePath(book, toFieldPath('author.name'))
 * ```
 *
 * @throws TypeError with the path, if a member does not exist or the path cannot pass through it
 */
export function resolvePath(model: ModelDescription, path: FieldPath): ResolvedPath {
  const fail = (reason: string): never => {
    throw invalidPath(model, path, `${reason}.`)
  }
  const guardAt = (depth: number): Condition =>
    allOf(
      (path.guards ?? []).filter((guard) => guard.depth === depth).map((guard) => guard.condition),
    )
  const hops: Hop[] = []
  let current = model
  const endAt = (leaf: PathLeaf, relationCount: number): ResolvedPath => {
    checkGuardDepths(path, relationCount, fail)
    return { guard: guardAt(0), hops, model: current, leaf }
  }
  for (const [index, name] of path.names.entries()) {
    const depth = index + 1
    const rest = path.names.slice(depth)
    if (name === 'id')
      return rest.length === 0 ? endAt({ kind: 'id' }, index) : fail("'id' has no members")
    const field = current.fieldsByName.get(name)
    if (!field) throw unknownField(model, path, current, name, [...current.fieldsByName.keys()])
    if (field.kind === 'hash')
      return fail(`'${name}' is a hash; hashes cannot be filtered or sorted by`)
    if (field.kind === 'resource')
      return fail(`'${name}' is a file field; file fields cannot be filtered or sorted by`)
    if (field.kind === 'value') {
      return endAt(
        { kind: 'value', field, memberPath: rest, type: memberType(field, rest, fail) },
        index,
      )
    }
    if (rest.length === 0)
      return endAt({ kind: field.kind, field, guard: guardAt(depth) } as PathLeaf, depth)
    if (field.kind !== 'toOne')
      return fail(
        `'${name}' is not a to-one relation; some() looks at the items of a to-many relation`,
      )
    hops.push({ field, guard: guardAt(depth) })
    current = field.relatedModel
  }
  return fail('is empty')
}

/**
 * Resolves a path to something that can be compared: an id, a scalar value or the id that a to-one
 * relation holds.
 *
 * ```ts
 * const { leaf } = resolveScalarPath(book, toFieldPath('author.name'))
 * leaf.kind // 'value'
 * ```
 *
 * @throws TypeError with the path, if it leads to anything else
 */
export function resolveScalarPath(
  model: ModelDescription,
  path: FieldPath,
): ResolvedPath<ScalarLeaf> {
  const resolved = resolvePath(model, path)
  if (hasScalarLeaf(resolved)) return resolved
  const reason = `it leads to ${describeLeaf(resolved.leaf)}, which cannot be compared.`
  throw invalidPath(model, path, reason)
}

/**
 * Resolves a path to something that holds members: an array of scalars or a to-many relation.
 *
 * ```ts
 * const { leaf } = resolveManyPath(book, toFieldPath('genres'))
 * leaf.kind // 'toMany'
 * ```
 *
 * @throws TypeError with the path, if it leads to anything else
 */
export function resolveManyPath(model: ModelDescription, path: FieldPath): ResolvedPath<ManyLeaf> {
  const resolved = resolvePath(model, path)
  if (hasManyLeaf(resolved)) return resolved
  const reason = `it leads to ${describeLeaf(resolved.leaf)}, which has no members to compare.`
  throw invalidPath(model, path, reason)
}

/**
 * Resolves the path of `some`, whose condition guards the related items at its end.
 *
 * ```ts
 * const { leaf } = resolveSomePath(book, { path: toFieldPath('genres'), condition: always })
 * leaf.field.relatedModel // the model 'genre'
 * ```
 *
 * @throws TypeError with the path, if it leads to no to-many relation
 */
export function resolveSomePath(
  model: ModelDescription,
  { path, condition }: Pick<Extract<Condition, { kind: 'some' }>, 'path' | 'condition'>,
): ResolvedPath<ToManyLeaf | InverseLeaf> {
  const guards = [...(path.guards ?? []), { depth: path.names.length, condition }]
  const { leaf } = resolvePath(model, path)
  if (leaf.kind === 'toMany' || leaf.kind === 'inverse')
    return resolvePath(model, { ...path, guards }) as ResolvedPath<ToManyLeaf | InverseLeaf>
  const reason = `it leads to ${describeLeaf(leaf)}, but 'some' needs a to-many relation.`
  throw invalidPath(model, path, reason)
}

/** The model of the items that the path of `some` leads to. */
export function relatedModelAt(model: ModelDescription, path: FieldPath): ModelDescription {
  return resolveSomePath(model, { path, condition: always }).leaf.field.relatedModel
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
    const memberDescription = type.kind === 'struct' ? type.members.get(member) : undefined
    if (!memberDescription) return fail(`'${field.name}' has no member '${member}'`)
    type = memberDescription.type
  }
  return type
}

/** A guard that applies to no item would not hide what it was meant to hide. */
function checkGuardDepths(
  path: FieldPath,
  relationCount: number,
  fail: (reason: string) => never,
): void {
  for (const { depth } of path.guards ?? []) {
    if (!Number.isInteger(depth) || depth < 0 || depth > relationCount) {
      fail(`the path has no relation at depth ${depth} for its guard`)
    }
  }
}

/**
 * For a name in the path that a model does not have.
 * @param names the fields that may be suggested
 */
export function unknownField(
  start: ModelDescription,
  path: FieldPath,
  { name: owner }: ModelDescription,
  name: string,
  names: readonly string[],
): TypeError {
  const statement = `'${owner}' has no field '${name}'`
  return invalidPath(start, path, unknownName(statement, name, ['id', ...names]))
}

/** @param reason with its full stop */
function invalidPath({ name }: ModelDescription, path: FieldPath, reason: string): TypeError {
  return new TypeError(
    `The path '${path.names.join('.')}' of the model '${name}' is invalid: ${reason}`,
  )
}

function describeLeaf(leaf: PathLeaf): string {
  if (leaf.kind === 'value') return `a value of the type '${leaf.type.kind}'`
  return leaf.kind === 'id' || leaf.kind === 'toOne' ? 'a single id' : 'a to-many relation'
}
