import { expect, it } from 'vitest'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import { pulledPostgres } from '../../../test/support/postgres/pulled-postgres.ts'

describePostgres('Tables of the same name', () => {
  it("get the plain name where their schema is 'public', and else the first of them", async () => {
    const service = await pulledPostgres(`
      create schema legacy;
      create schema customs;
      create schema harbour;
      create table legacy.rental (id integer primary key);
      create table public.rental (id integer primary key);
      create table customs.port (id integer primary key);
      create table harbour.port (id integer primary key);
      insert into legacy.rental values (1);
      insert into public.rental values (2);
      insert into customs.port values (3);
      insert into harbour.port values (4);
    `)
    try {
      const ids = async (plural: string) => (await service.api.get(`/${plural}`)).ids(plural)
      expect(await ids('rentals')).toEqual(['2'])
      expect(await ids('legacyRentals')).toEqual(['1'])
      expect(await ids('ports')).toEqual(['3'])
      expect(await ids('harbourPorts')).toEqual(['4'])
    } finally {
      await service.close()
    }
  }, 60_000)
})
