import { expect, it } from 'vitest'
import type { TableSchema } from '../../store/tables/schema/database-schema.ts'
import { isSecretColumn } from './secret-columns.ts'

const table = { foreignKeys: [] as TableSchema['foreignKeys'] } as TableSchema

it.each([
  ...['password', 'PasswordHash', 'passwordhash', 'userpasswordsalt', 'api_key', 'APIKEY'],
  ...['reset_token', 'sessiontoken', 'client_secret', 'clientsecret', 'pin', 'cardPin'],
])('takes %s for a secret', (name) => {
  expect(isSecretColumn(table, name)).toBe(true)
})

it.each(['shipping', 'basalt', 'pinned', 'rehash', 'tokenizer', 'key', 'opinion', 'number'])(
  'takes %s for no secret',
  (name) => {
    expect(isSecretColumn(table, name)).toBe(false)
  },
)
