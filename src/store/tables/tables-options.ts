import type { OptionChecks } from '../../model/check-options.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import type { TablesStoreOptions } from './open-options.ts'

/** The options of every store with ordinary tables. */
export interface TablesOptions {
  /**
   * May the store change tables? With `false` it sends no statement that changes a schema, and
   * opens only if the tables fit the models. Default: true, unless a table of the models exists
   * that the store did not make.
   */
  readonly manage?: boolean
  /**
   * Keeps clients from verifying guesses of hidden values against the versions of items. All
   * processes need the same, of at least 16 characters. Default: a random one, kept in the table
   * `resourcery_settings`; where no store manages the tables, each process makes one, and its tags
   * differ from those of others.
   */
  readonly versionSecret?: string
  /**
   * Does the store add foreign keys for relations? Databases that spread tables over several
   * machines may not have them. Default: true.
   */
  readonly foreignKeys?: boolean
}

export const tablesOptionChecks: OptionChecks<TablesOptions> = {
  manage: 'boolean',
  versionSecret: true,
  foreignKeys: 'boolean',
}

const minSecretLength = 16

/**
 * @param owner the function, with parentheses: `postgres()`
 * @throws RegistrationError for a secret that could be guessed; the message does not repeat it
 */
export function tablesStoreOptions(
  owner: string,
  { manage, versionSecret, foreignKeys = true }: TablesOptions,
): TablesStoreOptions {
  const isSecret = typeof versionSecret === 'string' && versionSecret.length >= minSecretLength
  if (versionSecret !== undefined && !isSecret)
    throw new RegistrationError(
      `The option 'versionSecret' of ${owner} must be a string of at least ${minSecretLength} characters.`,
    )
  return { manages: manage, versionSecret, addsForeignKeys: foreignKeys }
}
