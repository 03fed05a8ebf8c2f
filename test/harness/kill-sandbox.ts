import { openDatabase } from '../../src/store/sqlite/driver.ts'
import { databasePath } from '../../src/store/sqlite/data-folder.ts'
import { type LinkedGateway, type LinkedOptions, openLinkedGateway } from './linked-gateway.ts'
import { newPlace, type Place } from './stores.ts'

/** An event that was ever written to the store. */
export interface StoredEvent {
  seq: number
  id: string
  sessionId: string
  kind: string
  dedupeId: string
}

/** A linked gateway on the embedded database that keeps every event. */
export interface KillSandbox extends LinkedGateway {
  /** Every event of a webhook written since this position, whether delivered meanwhile or not. */
  published(afterSeq: number): StoredEvent[]
  query<R>(sql: string, ...params: string[]): R[]
}

export async function openKillSandbox(numbers: number, network: LinkedOptions['network'] = {}): Promise<KillSandbox> {
  const place = await newPlace('sqlite')
  const gateway = await openLinkedGateway(place, numbers, { network, prepare: () => keepEveryEvent(place) })
  const reader = openDatabase(databasePath(place.dataDir), { readOnly: true })
  const query = <R>(sql: string, ...params: string[]): R[] => reader.prepare(sql).all(...params) as R[]
  return {
    ...gateway,
    published: afterSeq =>
      query<StoredEvent>(
        `select seq, id, session_id as "sessionId", kind, dedupe_id as "dedupeId" from published
         where seq > cast(? as integer) order by seq`,
        String(afterSeq),
      ),
    query,
    close: async () => {
      reader.close()
      await gateway.close()
    },
  }
}

/** Events leave the store once they are delivered; this table receives each in the same commit and keeps it, once for its webhook. */
function keepEveryEvent(place: Place): void {
  const database = openDatabase(databasePath(place.dataDir), { readOnly: false })
  database.exec(`
    create table published (seq integer primary key, id text, session_id text, kind text, dedupe_id text);
    create trigger record_published after insert on deliveries when new.origin = 'event' and new.lane like 'wh_%' begin
      insert into published (id, session_id, kind, dedupe_id) values (new.event_id, new.session_id, new.kind, new.dedupe_id);
    end`)
  database.close()
}
