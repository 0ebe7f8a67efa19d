import type { EventData, EventType } from '../../shared/contract/index.ts'

/** How every service says that something changed. Stored before it is sent, so that it can be replayed. */
export type Publish = <Type extends EventType>(type: Type, data: EventData[Type]) => void
