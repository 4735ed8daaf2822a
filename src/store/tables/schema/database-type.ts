/** The type of a column, in the terms of SQL. */
export type DatabaseType =
  | BaseType
  /** A list of texts that the database knows by a name. */
  | { readonly kind: 'enum'; readonly name: string; readonly values: readonly string[] }
  /** Another type with rules. The rules name the value `VALUE`. */
  | {
      readonly kind: 'domain'
      readonly name: string
      readonly base: DatabaseType
      readonly isNullable: boolean
      readonly checks: readonly { readonly name: string; readonly expression: string }[]
    }
  | { readonly kind: 'array'; readonly items: DatabaseType }
  | { readonly kind: 'range'; readonly name: string; readonly bounds: DatabaseType }
  | { readonly kind: 'composite' | 'other'; readonly name: string }

export interface BaseType {
  readonly kind: 'base'
  /** Without its modifiers, as the engine writes it: `character varying`, `bigint`, `citext`. */
  readonly name: string
  /** The maximum number of characters or bits. */
  readonly maxLength?: number
  /** The number of digits, or the number of digits of a fraction of a second. */
  readonly precision?: number
  /** The number of digits after the decimal point. */
  readonly scale?: number
  /** The smallest and the largest number. Undefined where any JSON number fits. */
  readonly range?: 'int16' | 'int32' | 'float32'
  /** Does the database refuse values of other types, where that is a choice of the table? */
  readonly isStrict?: true
}

/** The type without the domains around it. */
export function withoutDomains(type: DatabaseType): Exclude<DatabaseType, { kind: 'domain' }> {
  return type.kind === 'domain' ? withoutDomains(type.base) : type
}

/** The type for people, as SQL writes it: `character varying(20)`, `text[]`. */
export function typeText(type: DatabaseType): string {
  if (type.kind === 'array') return `${typeText(type.items)}[]`
  if (type.kind !== 'base') return type.name
  const { maxLength, precision, scale } = type
  const modifiers = [maxLength, precision, scale].filter((value) => value !== undefined)
  return modifiers.length === 0 ? type.name : `${type.name}(${modifiers.join(', ')})`
}
