import type { AccessExpression } from './access-rules.ts'

/** The conditions that a declaration has made so far; undefined outside of one. */
let madeConditions: AccessCondition[] | undefined

/** Runs a declaration. @returns its result, and every condition that it made */
export function collectConditions<T>(declare: () => T): {
  readonly result: T
  readonly conditions: readonly AccessCondition[]
} {
  const outer = madeConditions
  const conditions: AccessCondition[] = []
  madeConditions = conditions
  try {
    return { result: declare(), conditions }
  } finally {
    madeConditions = outer
  }
}

/** When a rule holds. It is immutable: each method returns a new condition. */
export class AccessCondition {
  /** As data. */
  readonly expression: AccessExpression

  constructor(expression: AccessExpression) {
    this.expression = deepFreeze(expression)
    Object.freeze(this)
    madeConditions?.push(this)
  }

  /** This condition and all of the others hold. */
  and(...others: readonly AccessCondition[]): AccessCondition {
    return this.#joined('and', others)
  }

  /** This condition or one of the others holds. */
  or(...others: readonly AccessCondition[]): AccessCondition {
    return this.#joined('or', others)
  }

  /**
   * This condition does not hold. A comparison with a value that the caller does not have does not
   * hold either way.
   */
  not(): AccessCondition {
    return new AccessCondition({ kind: 'not', expression: this.expression })
  }

  #joined(kind: 'and' | 'or', others: readonly AccessCondition[]): AccessCondition {
    const expressions = [this, ...others].map((condition) => {
      if (condition instanceof AccessCondition) return condition.expression
      throw new TypeError(
        `${kind}() of an access rule expects conditions, such as signedIn or item.owner.equal(caller.id).`,
      )
    })
    return new AccessCondition({ kind, expressions })
  }
}

/** The condition always holds. */
export const anyone: AccessCondition = new AccessCondition({ kind: 'anyone' })
/** The condition never holds. */
export const nobody: AccessCondition = new AccessCondition({ kind: 'nobody' })
/** An authenticator has identified the caller. */
export const signedIn: AccessCondition = new AccessCondition({ kind: 'signedIn' })

export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    Object.values(value).forEach(deepFreeze)
  }
  return value
}
