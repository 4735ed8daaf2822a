import { expect } from 'vitest'
import type { PolicySuite } from './harness.ts'
import { secretValues } from './models.ts'

const names = ['costPrice', 'password', 'remark']

export function secrets(suite: PolicySuite): void {
  suite.alone('sends no member that clients may not see', async (service) => {
    const texts = await Promise.all(
      service.rules
        .filter(({ method }) => method === 'GET')
        .flatMap((rule) =>
          ['dracula', 'shelley', 'horror'].map(
            async (id) => (await service.send(rule, { id })).text,
          ),
        ),
    )
    expectNothingHidden(texts)
  })

  suite.alone('sends none after a write', async (service) => {
    const password = secretValues[1]
    const values = { title: 'New', price: 1, password }
    const relations = { author: 'shelley', genres: [] }
    const created = await service.send(service.rule('CreateItem', 'books'), {
      document: service.itemDocument('books', undefined, values, relations),
    })
    expect(created.status).toBe(201)
    const patched = await service.send(service.rule('UpdateItem', 'books'), {
      id: 'dracula',
      document: service.itemDocument('books', 'dracula', { password }),
    })
    expect(patched.status).toBe(200)
    expectNothingHidden([created.text, patched.text])
  })

  suite.alone('knows hidden members in queries and bodies as little as others', async (service) => {
    const list = service.rule('GetList', 'books')
    for (const name of ['costPrice', 'neverHeard']) {
      const filtered = await service.send(list, { query: `?filter[${name}]=1` })
      expect([name, filtered.status]).toEqual([name, 400])
      const patched = await service.send(service.rule('UpdateItem', 'books'), {
        id: 'dracula',
        document: service.itemDocument('books', 'dracula', { [name]: '1' }),
      })
      expect([name, patched.status]).toEqual([name, 422])
    }
  })

  suite.alone('describes none in responses', async ({ rules }) => {
    for (const rule of rules) {
      const text = JSON.stringify(rule.response.contents(), (name, value) =>
        name === 'component' ? value.schema() : value,
      )
      for (const name of names) expect(text ?? '', rule.path).not.toContain(`"${name}"`)
    }
  })
}

function expectNothingHidden(texts: readonly string[]): void {
  for (const text of texts)
    for (const secret of [...secretValues, ...names]) expect(text).not.toContain(secret)
}
