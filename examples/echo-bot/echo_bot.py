from postern_sdk import PosternClient

# Reads POSTERN_URL and POSTERN_API_KEY.
postern = PosternClient()

for event in postern.listen(on_open=lambda _: print("Listening. Write to your number.", flush=True)):
    message = event["payload"]
    if event["kind"] != "message" or message["type"] != "text" or message["is_group"] or message["broadcast"]:
        continue

    postern.send(
        session_id=message["session_id"],
        to=message["chat_jid"],
        text=message["text"],
        quoted_message_id=message["message_id"],
        # The same event may come twice. The same key never sends twice.
        idempotency_key=f"echo-{message['message_id']}",
    )
    print(f"Answered {message['message_id']}", flush=True)
