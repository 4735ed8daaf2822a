import { unknownName } from '../error/unknown-name.ts'
import { checkOptions, type OptionChecks } from '../model/check-options.ts'
import { RegistrationError } from '../model/registration-error.ts'
import type { MembersOf } from '../query/query-types.ts'
import {
  AccessCondition,
  anyone,
  collectConditions,
  deepFreeze,
  nobody,
  signedIn,
} from './access-condition.ts'
import {
  type AccessRules,
  type FieldAccess,
  isScalar,
  itemRuleNames,
  type SetOperand,
} from './access-rules.ts'
import { accessSymbol, nowSymbol, operandOf } from './access-symbols.ts'
import { refuseDroppedConditions } from './dropped-conditions.ts'
import type { CallerSymbol, ItemSymbol, NowSymbol, ValueSymbol } from './symbol-types.ts'

/** What a declaration of access rules is made of. */
export interface AccessSymbols<Item, Caller> {
  /** The item: `item.status.equal('draft')`, and through to-one relations `item.book.owner`. */
  readonly item: ItemSymbol<Item>
  /**
   * The item as it is stored, in `update` and in `write` of fields: then `item` is what the change
   * makes of it. `before.status.equal('draft').and(item.status.equal('review'))`
   */
  readonly before: ItemSymbol<Item>
  /** What the authenticators gave: `caller.roles.contains('admin')`. */
  readonly caller: CallerSymbol<Caller>
  /**
   * The time of the request, for dates and date-times: `item.publishAt.lessThanOrEqual(now)`. A
   * date is compared with the day in UTC.
   */
  readonly now: NowSymbol
  /** The condition always holds. */
  readonly anyone: AccessCondition
  /** The condition never holds. */
  readonly nobody: AccessCondition
  /** An authenticator has identified the caller. */
  readonly signedIn: AccessCondition
}

/** When a field can be read and written. */
export interface FieldAccessDeclaration {
  /**
   * A condition on the caller alone: for others the field does not exist. A condition on the item:
   * where it does not hold, the item has no such member. Default: whoever reads the item.
   */
  readonly read?: AccessCondition
  /** Default: as `read`, for whoever may change the item. May name `before`, as `update` may. */
  readonly write?: AccessCondition
}

/** The names of the members of a model. */
export type MemberNameOf<Item> =
  MembersOf<Item> extends infer Members ? keyof Members & string : string

/** The names of the methods of a class: its actions are among them. Any name if it has none. */
export type AccessActionName<Item> = {
  [Name in keyof Item]-?: Item[Name] extends (...values: never) => unknown ? Name & string : never
}[keyof Item] extends infer Names extends string
  ? [Names] extends [never]
    ? string
    : Names
  : string

/** The rules of one model. Default of each: `security.defaultAccess` of the router. */
export interface AccessDeclaration<Item, OperationName extends string = never> {
  /** Who sees an item. For others it does not exist. */
  readonly read?: AccessCondition
  /** Holds for the new item, after `set`. */
  readonly create?: AccessCondition
  /**
   * Holds for the item before the change, and after it. If it names `before`, it holds for the two
   * together, and `item` is the outcome alone.
   */
  readonly update?: AccessCondition
  readonly delete?: AccessCondition
  /**
   * Who sees the versions of an item that the caller may read (`history`). Holds for the item, and
   * for each version as it was. Default: who reads the item.
   */
  readonly readVersions?: AccessCondition
  /** Holds for the item before and after it. Default: as `update`. */
  readonly restoreVersion?: AccessCondition
  /**
   * Who sees an item in the trash (`trash`), besides `read`. It, `restore` and `purge` hold for the
   * item as it was deleted. Default: as `delete`.
   */
  readonly readTrash?: AccessCondition
  /** Who restores an item that the caller sees in the trash. Default: as `create`. */
  readonly restore?: AccessCondition
  /** Who deletes for good what the caller sees in the trash. Default: as `delete`. */
  readonly purge?: AccessCondition
  /**
   * Each holds for the item before the action, whose code may change what it likes. The names are
   * those of methods, if the class has some; `access<'reserve'>(…)` names actions of
   * `itemOperation` beside them.
   */
  readonly actions?: {
    readonly [Name in AccessActionName<Item> | OperationName]?: AccessCondition
  }
  /** Values that the service sets at creation. No client can send others, then or later. */
  readonly set?: {
    readonly [Name in MemberNameOf<Item>]?: ValueSymbol<unknown> | string | number | boolean
  }
  readonly fields?: { readonly [Name in MemberNameOf<Item>]?: FieldAccessDeclaration }
}

/**
 * Declares the access rules of a model, with symbols for the item and the caller.
 *
 * ```ts
 * const rules: AccessCallback<Book, { id: string }> = ({ item, caller, signedIn }) => ({
 *   read: item.inStock.equal(true).or(item.author.equal(caller.id)),
 *   create: signedIn,
 *   update: item.author.equal(caller.id),
 *   set: { author: caller.id },
 * })
 * ```
 */
export type AccessCallback<Item, Caller, OperationName extends string = never> = (
  symbols: AccessSymbols<Item, Caller>,
) => AccessDeclaration<Item, OperationName>

/**
 * The declared rules as frozen data.
 * @throws RegistrationError for what is no rule
 */
export function declareAccess(
  modelName: string,
  callback: (symbols: never) => AccessDeclaration<never>,
): AccessRules {
  const subject = `The access rules of '${modelName}'`
  const declaration = runCallback(subject, callback)
  checkOptions(`access() of '${modelName}'`, declaration, declarationOptions)
  const { set = {}, fields = {}, actions = {} } = declaration
  const condition = (name: string, value: unknown) => expressionOf(`${subject}, '${name}',`, value)
  return deepFreeze({
    ...Object.fromEntries(
      itemRuleNames.flatMap((name) =>
        declaration[name] === undefined ? [] : [[name, condition(name, declaration[name])]],
      ),
    ),
    actions: mapValues(actions, (value, name) => condition(`actions.${name}`, value)),
    set: mapValues(set, (value, name) => setOperand(`${subject}, 'set.${name}',`, value)),
    fields: mapValues(
      fields as Record<string, FieldAccessDeclaration>,
      (field, name): FieldAccess => {
        checkOptions(`access() of '${modelName}', fields.${name}`, field, fieldOptions)
        return {
          ...(field.read && { read: condition(`fields.${name}.read`, field.read) }),
          ...(field.write && { write: condition(`fields.${name}.write`, field.write) }),
        }
      },
    ),
  })
}

const declarationOptions: OptionChecks<AccessDeclaration<never>> = {
  read: true,
  create: true,
  update: true,
  delete: true,
  readVersions: true,
  restoreVersion: true,
  readTrash: true,
  restore: true,
  purge: true,
  actions: true,
  set: true,
  fields: true,
}

const fieldOptions: OptionChecks<FieldAccessDeclaration> = { read: true, write: true }

function runCallback(
  subject: string,
  callback: (symbols: never) => AccessDeclaration<never>,
): AccessDeclaration<never> {
  if (typeof callback !== 'function')
    throw new RegistrationError(
      `${subject} must be a function, such as ({ item, caller }) => ({ read: item.owner.equal(caller.id) }).`,
    )
  let declaration: unknown
  let conditions: readonly AccessCondition[]
  try {
    const collected = collectConditions(() => callback(symbols() as never))
    declaration = collected.result
    conditions = collected.conditions
  } catch (cause) {
    throw new RegistrationError(`${subject} are invalid: ${(cause as Error).message}`, { cause })
  }
  if (declaration instanceof Promise) {
    declaration.catch(() => undefined)
    throw new RegistrationError(`${subject} must not be made by an async function.`)
  }
  refuseUndefined(subject, declaration, '')
  refuseDroppedConditions(subject, callback, declaration, conditions)
  return declaration as AccessDeclaration<never>
}

/** A misspelled symbol would be undefined, and its rule would be none. */
function symbols(): object {
  const known = {
    item: accessSymbol('item'),
    before: accessSymbol('before'),
    caller: accessSymbol('caller'),
    now: nowSymbol,
    anyone,
    nobody,
    signedIn,
  }
  return new Proxy(known, {
    get: (target, name) => {
      if (typeof name === 'symbol' || Object.hasOwn(target, name))
        return target[name as keyof typeof target]
      throw new TypeError(unknownName(`There is no '${name}'`, name, Object.keys(target)))
    },
  })
}

/** A rule that is undefined or null would allow what it was meant to refuse. */
function refuseUndefined(subject: string, value: unknown, path: string): void {
  if (typeof value !== 'object' || value === null || value instanceof AccessCondition) return
  for (const [name, member] of Object.entries(value)) {
    const memberPath = path === '' ? name : `${path}.${name}`
    if (member === undefined || member === null)
      throw new RegistrationError(`${subject} have '${memberPath}' without a value. Omit it.`)
    if (Object.getPrototypeOf(member) === Object.prototype)
      refuseUndefined(subject, member, memberPath)
  }
}

function expressionOf(subject: string, value: unknown) {
  if (value instanceof AccessCondition) return value.expression
  throw new RegistrationError(
    `${subject} must be a condition, such as signedIn, nobody or item.owner.equal(caller.id).`,
  )
}

function setOperand(subject: string, value: unknown): SetOperand {
  const operand = operandOf(value)
  if (operand.kind === 'caller' || (operand.kind === 'value' && isScalar(operand.value)))
    return operand
  throw new RegistrationError(`${subject} must be a member of 'caller', or a plain value.`)
}

function mapValues<Value, Result>(
  record: Readonly<Record<string, Value>>,
  change: (value: Value, name: string) => Result,
): Readonly<Record<string, Result>> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, change(value, name)]),
  )
}
