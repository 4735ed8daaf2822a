import { checkOptions, type OptionChecks } from '../model/check-options.ts'
import type { AnyModel } from '../model/declare/model.ts'
import type { CodeItem } from '../model/items/item-types.ts'
import { RegistrationError } from '../model/registration-error.ts'
import type { IQuery } from '../query/iquery.ts'
import { hasDigest, startOf } from './api-key.ts'
import { type ApiKeyValues, apiKeyFields } from './api-key-fields.ts'
import type { AuthenticationTools, Authenticator, CredentialResult } from './authenticator.ts'
import { authorizationOf } from './authorization.ts'

/** A model with the fields of `apiKeyFields()`. */
export type ApiKeyModel = AnyModel & { readonly prototype: ApiKeyValues }

export interface ApiKeysOptions<M extends ApiKeyModel, Caller> {
  /** The name in the OpenAPI document. Default: `apiKey`. */
  readonly name?: string
  /** The model of the keys, which the router has to prepare. */
  readonly model: M
  /**
   * The caller of a key. Undefined refuses the key, for example when its owner is gone. `items`
   * reads further items.
   */
  readonly caller: (
    key: CodeItem<M>,
    tools: AuthenticationTools,
  ) => Caller | undefined | Promise<Caller | undefined>
}

const apiKeysOptions: OptionChecks<ApiKeysOptions<ApiKeyModel, unknown>> = {
  name: true,
  model: true,
  caller: 'function',
}

const unknownKey = 'The API key is unknown, or has been replaced or deleted.'

/**
 * Recognizes API keys of a model with the fields of `apiKeyFields()`: `Authorization: Bearer
 * shop_…`. The key is found by its visible beginning, and its SHA-256 compared in constant time. To
 * revoke a key, delete its item, or issue a new one.
 *
 * ```ts
 * class ApiKey extends model('apiKey', { ...apiKeyFields(), owner: z.string() }) {}
 *
 * const keys = apiKeys({
 *   model: ApiKey,
 *   caller: ({ owner, scopes }) => ({ id: owner, scopes }),
 * })
 * ```
 *
 * @throws RegistrationError for an unknown option, or a model without these fields
 */
export function apiKeys<M extends ApiKeyModel, Caller>(
  options: ApiKeysOptions<M, Caller>,
): Authenticator<Caller> {
  checkOptions('apiKeys()', options, apiKeysOptions as OptionChecks<ApiKeysOptions<M, Caller>>)
  const { name = 'apiKey', model, caller: toCaller } = options
  checkModel(model)
  if (typeof toCaller !== 'function')
    throw new RegistrationError("The option 'caller' of apiKeys() must be a function of the key.")
  const authenticate = async (
    token: string,
    start: string,
    tools: AuthenticationTools,
  ): Promise<CredentialResult<Caller>> => {
    // The fields of the model are checked, and its type is that of a parameter.
    const withStart = (query: IQuery) => query.where('start').equal(start)
    const item = await tools.items(model).first(withStart)
    const { digest, expiresAt } = Object(item) as Partial<ApiKeyValues>
    if (!hasDigest(token, digest)) return { refused: unknownKey }
    if (expiresAt && Date.parse(expiresAt) <= Date.now())
      return { refused: 'The API key has expired.' }
    const caller = await toCaller(item!, tools)
    if (caller === undefined) return { refused: unknownKey }
    return expiresAt ? { caller, expiresAt: new Date(expiresAt) } : { caller }
  }
  return {
    name,
    scheme: { type: 'http', scheme: 'bearer', description: 'An API key of this service' },
    readsItems: true,
    authenticate: (request, tools) => {
      const credential = authorizationOf(request, 'bearer')
      if (credential === undefined) return undefined
      if (credential.kind === 'malformed') return { refused: 'Expected an API key after "Bearer".' }
      const start = startOf(credential.value)
      return start === undefined ? undefined : authenticate(credential.value, start, tools)
    },
  }
}

function checkModel(model: AnyModel): void {
  const fields: object = (model as Partial<AnyModel> | undefined)?.fields ?? {}
  const missing = Object.keys(apiKeyFields()).filter((field) => !Object.hasOwn(fields, field))
  if (missing.length > 0)
    throw new RegistrationError(
      `The model of apiKeys() lacks the field '${missing[0]}'. Declare it with model('apiKey', { ...apiKeyFields() }).`,
    )
}
