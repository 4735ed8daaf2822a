import { checkOptions, type OptionChecks } from '../check-options.ts'
import { RegistrationError } from '../registration-error.ts'
import { dateTime } from './date-time.ts'
import { field, type Timestamp, type ValueDefinition } from './field.ts'
import type { ScalarSchema } from './scalar-schema.ts'

/** The names of the fields of `timestamps()`, and their clock. */
export interface TimestampOptions {
  /** The field for when an item was created; false for none. Default: `createdAt`. */
  readonly createdAt?: string | false
  /** The field for when an item was last changed; false for none. Default: `updatedAt`. */
  readonly updatedAt?: string | false
  /** Keeps an index over each field, for lists that sort by it. Default: false. */
  readonly index?: boolean
  /** Returns the current time. For tests. Default: the clock of the system. */
  readonly now?: () => Date
}

/** A read-only instant that the service sets. Items that are older than the field have none. */
export type TimestampDefinition = ValueDefinition<
  ScalarSchema<{ readonly optional: true }>,
  { readonly readOnly: true; readonly index: boolean }
>

/** The fields of `timestamps()`, by their names. */
export type TimestampFields<O> = {
  readonly [Name in
    | TimestampName<O, 'createdAt'>
    | TimestampName<O, 'updatedAt'>]: TimestampDefinition
}

/** The name that an option gives to a field; never for none. */
export type TimestampName<O, Default extends 'createdAt' | 'updatedAt'> = O extends {
  readonly [Option in Default]: infer Name
}
  ? Name extends string
    ? Name
    : never
  : Default

/**
 * Declares the read-only fields `createdAt` and `updatedAt`, as instants in UTC. The service sets
 * them in the transaction that writes the item, whatever changes it; what clients and code send for
 * them is ignored. A write that changes nothing leaves `updatedAt` as it is.
 *
 * ```ts
 * const Talk = model('talk', { title: z.string(), ...timestamps() })
 * const Note = model('note', { text: z.string(), ...timestamps({ updatedAt: 'edited' }) })
 * ```
 *
 * @throws RegistrationError for an unknown or invalid option
 */
export function timestamps<const O extends TimestampOptions = Record<never, never>>(
  options?: O,
): TimestampFields<O> {
  if (options) checkOptions<TimestampOptions>('timestamps()', options, timestampOptions)
  const { createdAt = 'createdAt', updatedAt = 'updatedAt' }: TimestampOptions = options ?? {}
  const { index = false, now = currentTime }: TimestampOptions = options ?? {}
  if (createdAt === updatedAt)
    throw new RegistrationError(
      createdAt === false
        ? 'timestamps() declares no field, because createdAt and updatedAt are false.'
        : `timestamps() names both of its fields '${createdAt}'. Give them different names.`,
    )
  const fields: Record<string, TimestampDefinition> = {}
  const add = (name: string | false, kind: Timestamp['kind'], description: string) => {
    if (name === false) return
    if (typeof name !== 'string')
      throw new RegistrationError(
        `timestamps() gives a field the name ${String(name)}; expected a text, or false for no field.`,
      )
    const schema = dateTime({ optional: true, description })
    const definition = field(schema, { readOnly: true, index })
    fields[name] = Object.freeze({ ...definition, timestamp: Object.freeze({ kind, now }) })
  }
  add(createdAt, 'creation', 'When the item was created')
  add(updatedAt, 'change', 'When the item was last changed')
  return fields as TimestampFields<O>
}

function currentTime(): Date {
  return new Date()
}

const timestampOptions: OptionChecks<TimestampOptions> = {
  createdAt: true,
  updatedAt: true,
  index: 'boolean',
  now: 'function',
}
