import { type Generated, Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'

interface Tables {
  readonly people: { readonly id: Generated<number>; readonly name: string }
  readonly films: {
    readonly film_id: Generated<number>
    readonly title: string
    readonly year: number | null
    readonly director_id: number | null
  }
  readonly film_actor: { readonly film_id: number; readonly actor_id: number }
}

/** A program that was there before the service, and writes to the same tables with Kysely. */
export class FilmArchive {
  readonly #database: Kysely<Tables>

  constructor(url: string) {
    const pool = new pg.Pool({ connectionString: url, max: 2 })
    this.#database = new Kysely({ dialect: new PostgresDialect({ pool }) })
  }

  async addPerson(name: string): Promise<number> {
    const query = this.#database.insertInto('people').values({ name }).returning('id')
    return (await query.executeTakeFirstOrThrow()).id
  }

  async addFilm(title: string, year: number): Promise<number> {
    const query = this.#database.insertInto('films').values({ title, year }).returning('film_id')
    return (await query.executeTakeFirstOrThrow()).film_id
  }

  async addActor(film: number, actor: number): Promise<void> {
    const row = { film_id: film, actor_id: actor }
    await this.#database.insertInto('film_actor').values(row).execute()
  }

  async setYear(film: number, year: number): Promise<void> {
    await this.#database.updateTable('films').set({ year }).where('film_id', '=', film).execute()
  }

  async findFilm(film: number): Promise<{ title: string; year: number | null; actors: string[] }> {
    const { title, year } = await this.#database
      .selectFrom('films')
      .select(['title', 'year'])
      .where('film_id', '=', film)
      .executeTakeFirstOrThrow()
    const actors = await this.#database
      .selectFrom('film_actor')
      .innerJoin('people', 'people.id', 'film_actor.actor_id')
      .select('people.name')
      .where('film_actor.film_id', '=', film)
      .orderBy('people.id')
      .execute()
    return { title, year, actors: actors.map(({ name }) => name) }
  }

  async close(): Promise<void> {
    await this.#database.destroy()
  }
}
