// The public names of `resourcery/auth`.

export { type ApiKeyFields, type ApiKeyValues, apiKeyFields } from './api-key-fields.ts'
export { type ApiKeyModel, type ApiKeysOptions, apiKeys } from './api-keys.ts'
export { type BasicOptions, basic } from './basic.ts'
export { bearerJwt } from './bearer-jwt.ts'
export { type IssuedKey, issueApiKey, issuedKey } from './issue-api-key.ts'
export type {
  BearerJwtOptions,
  JwtAlgorithm,
  JwtClaims,
  JwtKeys,
  JwtRules,
} from './jwt-options.ts'
export { requireScopes, scopesOf } from './scopes.ts'
